import { describe, expect, test } from 'vitest';
import { adminContext, type Context } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import type { PolicyTarget } from '#src/lib/policy.ts';
import { createPolicy } from '#src/policy/mod.ts';
import { ml2Policies } from './policy.ts';

const warnings: string[] = [];
const policy = createPolicy({
  defaults: ml2Policies,
  log: { ...silentLogger, warn: (message) => warnings.push(message) },
});

const person = (project_id: string, ...roles: string[]): Context => ({
  ...adminContext('req-1'),
  is_admin: false,
  project_id,
  roles,
});
const callers = {
  admin: adminContext('req-1'),
  service: person('services', 'service'),
  manager: person('own', 'manager', 'member', 'reader'),
  member: person('own', 'member', 'reader'),
  reader: person('own', 'reader'),
  stranger: person('other', 'member', 'reader'),
} as const;

/** Who of the callers may. */
function who(rule: string, target: PolicyTarget): string {
  return Object.entries(callers)
    .filter(([, context]) => policy.allows(context, rule, target))
    .map(([name]) => name)
    .join(' ');
}

describe('the policies of networks, subnets, ports and agents', () => {
  const own = { project_id: 'own' };
  test('load without a warning', () => expect(warnings).toEqual([]));

  test.each<[string, PolicyTarget, string]>([
    ['create_network', own, 'admin manager member'],
    ['create_network:shared', own, 'admin'],
    ['create_network:provider:network_type', own, 'admin'],
    ['get_network', own, 'admin service manager member reader'],
    ['get_network', { ...own, shared: true }, 'admin service manager member reader stranger'],
    ['get_network', { ...own, 'router:external': true }, 'admin service manager member reader stranger'],
    ['get_network:provider:segmentation_id', own, 'admin'],
    ['update_network', { ...own, shared: true }, 'admin manager member'],
    ['delete_network', own, 'admin manager member'],
    ['create_subnet', { ...own, 'network:project_id': 'own' }, 'admin manager member'],
    ['create_subnet', { ...own, 'network:project_id': 'other' }, 'admin stranger'],
    ['get_subnet', { ...own, 'network:project_id': 'other' }, 'admin service manager member reader stranger'],
    ['get_subnet', { ...own, 'network:project_id': 'own' }, 'admin service manager member reader'],
    ['delete_subnet', { ...own, 'network:project_id': 'own' }, 'admin manager member'],
    ['create_port', { ...own, 'network:project_id': 'own', 'network:shared': false }, 'admin service manager member'],
    [
      'create_port',
      { project_id: 'other', 'network:project_id': 'own', 'network:shared': true },
      'admin service manager member reader stranger',
    ],
    [
      'create_port:device_owner',
      { ...own, device_owner: 'compute:nova' },
      'admin service manager member reader stranger',
    ],
    ['create_port:device_owner', { ...own, device_owner: 'network:dhcp', 'network:project_id': 'x' }, 'admin service'],
    ['create_port:binding:host_id', own, 'admin service'],
    ['create_port:binding:profile', own, 'service'],
    ['get_port', { ...own, 'network:project_id': 'x' }, 'admin service manager member reader'],
    ['get_port:binding:vif_type', own, 'admin service'],
    ['update_port', own, 'admin service manager member'],
    ['update_port:mac_address', { ...own, 'network:project_id': 'own' }, 'admin service manager'],
    ['delete_port', { ...own, 'network:project_id': 'x' }, 'admin service manager member'],
    ['get_agent', {}, 'admin'],
    ['get_availability_zone', {}, 'manager member reader stranger admin'],
  ])('%s on %j', (rule, target, expected) => {
    expect(who(rule, target).split(' ').toSorted()).toEqual(expected.split(' ').toSorted());
  });

  test('need the network where its owner may act', () => {
    expect(policy.parents('create_port')).toEqual(['network:project_id', 'network:shared']);
    expect(policy.parents('update_port')).toEqual([]);
    expect(policy.parents('delete_port')).toEqual(['network:project_id']);
  });
});
