/** Security groups, their rules, and what new groups start with. */
import { type Area, everybody, members, only, type Row, readers } from './area.ts';

/** Set by managers; read by all who read the project. */
const managers = (done: number): Row => ({ ...members(done, 404), member: 403 });
/** Everybody who reads anything reads it, only administrators change it. */
const READ_BY_ALL = (seen: 'sees' | 200, hidden: 'hidden' | 404): Row => ({
  ...everybody(seen),
  none: hidden,
  service: hidden,
});
const OWN_READERS = (seen: 'sees' | 200, hidden: 'hidden' | 404): Row => ({
  ...readers(seen, hidden),
  service: hidden,
});

export const securityGroups: Area = {
  routes: {
    'GET security_groups': OWN_READERS('sees', 'hidden'),
    'POST security_groups': { ...everybody(201), none: 403, reader: 403, service: 403 },
    'GET security_groups/{id}': OWN_READERS(200, 404),
    'PUT security_groups/{id}': members(200, 404),
    'DELETE security_groups/{id}': members(204, 404),
    'GET security_group_rules': OWN_READERS('sees', 'hidden'),
    'POST security_group_rules': { ...members(201, 403), none: 403 },
    'GET security_group_rules/{id}': OWN_READERS(200, 404),
    'DELETE security_group_rules/{id}': members(204, 404),
    'GET default_security_group_rules': READ_BY_ALL('sees', 'hidden'),
    'POST default_security_group_rules': only(201, 403),
    'GET default_security_group_rules/{id}': READ_BY_ALL(200, 404),
    'DELETE default_security_group_rules/{id}': { ...only(204, 403), none: 404, service: 404 },
    'GET security_groups_default_statefulness': OWN_READERS('sees', 'hidden'),
    // The managers' project has a setting already.
    'POST security_groups_default_statefulness': { ...everybody(403), manager: 409, admin: 201 },
    'GET security_groups_default_statefulness/{id}': OWN_READERS(200, 404),
    'PUT security_groups_default_statefulness/{id}': managers(200),
    'DELETE security_groups_default_statefulness/{id}': managers(204),
  },
  async furnish(stack) {
    const group = await stack.create('security_group', { project_id: 'alice' });
    const rule = await stack.create('security_group_rule', {
      project_id: 'alice',
      security_group_id: group.id,
      direction: 'ingress',
    });
    const starting = await stack.create('default_security_group_rule', {
      direction: 'ingress',
      protocol: 'tcp',
      used_in_default_sg: false,
      used_in_non_default_sg: true,
    });
    const statefulness = await stack.call('POST', '/v2.0/security_groups_default_statefulness', {
      body: { security_groups_default_statefulness: { project_id: 'alice', stateful: true } },
    });
    return {
      ids: {
        security_groups: group.id,
        security_group_rules: rule.id,
        default_security_group_rules: starting.id,
        security_groups_default_statefulness: statefulness.body.security_groups_default_statefulness.id,
      },
      bodies: {
        'POST security_groups': { security_group: {} },
        'PUT security_groups/{id}': { security_group: { name: 'new' } },
        'POST security_group_rules': {
          security_group_rule: { security_group_id: group.id, direction: 'ingress', protocol: 'udp' },
        },
        'POST default_security_group_rules': {
          default_security_group_rule: {
            direction: 'ingress',
            protocol: 'udp',
            used_in_default_sg: true,
            used_in_non_default_sg: true,
          },
        },
        'POST security_groups_default_statefulness': {
          security_groups_default_statefulness: { stateful: false },
        },
        'PUT security_groups_default_statefulness/{id}': {
          security_groups_default_statefulness: { stateful: false },
        },
      },
    };
  },
};
