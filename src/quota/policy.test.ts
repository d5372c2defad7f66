import { expect, test } from 'vitest';
import { adminContext } from '#src/lib/context.ts';
import { silentLogger } from '#src/lib/log.ts';
import { createPolicy } from '#src/policy/mod.ts';
import { quotaPolicies } from './policy.ts';

const policy = createPolicy({ defaults: quotaPolicies, log: silentLogger });
const manager = {
  ...adminContext('req-1'),
  is_admin: false,
  project_id: 'own',
  roles: ['manager', 'member', 'reader'],
};

test.each([
  ['get_quota', 'own', true],
  ['get_quota', 'other', false],
  ['update_quota', 'own', false],
  ['delete_quota', 'own', false],
])('a manager may %s of project %s: %s', (rule, project_id, allowed) => {
  expect(policy.allows(manager, rule, { project_id })).toBe(allowed);
  expect(policy.allows(adminContext('req-1'), rule, { project_id })).toBe(true);
});
