import { describe, expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { Config } from '#src/lib/config.ts';
import { adminContext } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import { createPolicy } from '#src/policy/mod.ts';
import { quotaExtensions, quotaPolicies } from './definition.ts';
import { defaultLimit } from './limits.ts';

const PROJECT = 'a'.repeat(32);

describe('the default limit', () => {
  const port = { name: 'port', default_limit: 500, table: 'ports' };
  const trunk = { name: 'trunk', default_limit: -1, table: 'trunks' };
  const written = (text: string): Config => ({ ...configFrom(allOptions), section: () => ({ quota_trunk: text }) });

  it('is the option, else what the resource declares', () => {
    expect(defaultLimit(configFrom(allOptions, { quotas: { quota_port: 7 } }), port)).toBe(7);
    expect(defaultLimit(configFrom(allOptions), port)).toBe(500);
  });
  it('is default_quota for a resource that declares none', () => {
    const config = configFrom(allOptions, { quotas: { default_quota: 20 } });
    expect([defaultLimit(config, trunk), defaultLimit(config, port)]).toEqual([20, 500]);
  });
  it('is read from the file for a resource that has no declared option', () => {
    expect(defaultLimit(written(' 12 '), trunk)).toBe(12);
    for (const text of ['many', '', '1.5']) {
      expect(() => defaultLimit(written(text), trunk)).toThrow('Option [quotas] quota_trunk');
    }
  });
});

describe('policies of the quotas API', () => {
  const policy = createPolicy({ defaults: quotaPolicies, log: silentLogger });
  const as = (role: string) => ({ ...adminContext(), project_id: PROJECT, roles: [role], is_admin: role === 'admin' });
  const mine = { project_id: PROJECT };
  const other = { project_id: 'b'.repeat(32) };

  it.each([
    ['admin', true, true, true],
    ['manager', true, false, false],
    ['member', true, false, false],
  ])('%s may read its own: %j, others’: %j, and set limits: %j', (role, own, others, write) => {
    expect(policy.allows(as(role), 'get_quota_of_project', mine)).toBe(own);
    expect(policy.allows(as(role), 'get_quota_of_project', other)).toBe(others);
    expect(policy.allows(as(role), 'update_quota', mine)).toBe(write);
    expect(policy.allows(as(role), 'delete_quota', mine)).toBe(write);
  });
  it('let managers, but not members, list', () => {
    expect(policy.allows(as('manager'), 'get_quota', mine)).toBe(true);
    expect(policy.allows(as('member'), 'get_quota', mine)).toBe(false);
  });
  it('are all defined', () => {
    const [resource] = quotaExtensions(() => []).flatMap((extension) => extension.resources ?? []);
    for (const name of Object.values(resource!.policy_names!)) expect(policy.defines(name)).toBe(true);
  });
});

describe('the attribute map', () => {
  it('has every resource that is declared by the time it is read', () => {
    const names = ['network'];
    const [resource] = quotaExtensions(() => names).flatMap((extension) => extension.resources ?? []);
    names.push('trunk');
    expect(Object.keys(resource!.attributes)).toEqual([
      'network',
      'trunk',
      'force',
      'check_limit',
      'tenant_id',
      'project_id',
    ]);
  });
});
