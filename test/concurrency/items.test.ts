/** One object of each kind and many who change or delete it at once: what happens once happens once, and nothing is a defect. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, makeOne, type World } from '../support/kinds.ts';
import type { Stack } from '../support/stack.ts';
import { CROWD, crowd, startCrowded, tally } from './support.ts';

let world: World;
let stack: Stack;
beforeAll(async () => {
  world = await startCrowded('items');
  ({ stack } = world);
});
afterAll(() => stack.stop());

/** Types of the error for what is gone. */
const NOT_FOUND: Readonly<Record<string, string>> = {
  networks: 'NetworkNotFound',
  subnets: 'SubnetNotFound',
  ports: 'PortNotFound',
  subnetpools: 'SubnetPoolNotFound',
  address_scopes: 'AddressScopeNotFound',
  address_groups: 'AddressGroupNotFound',
  security_groups: 'SecurityGroupNotFound',
  security_group_rules: 'SecurityGroupRuleNotFound',
  default_security_group_rules: 'DefaultSecurityGroupRuleNotFound',
  security_groups_default_statefulness: 'SecurityGroupDefaultStatefulnessNotFound',
  rbac_policies: 'RbacPolicyNotFound',
  segments: 'SegmentNotFound',
  routers: 'RouterNotFound',
  floatingips: 'FloatingIPNotFound',
  agents: 'AgentNotFound',
  ndp_proxies: 'NDPProxyNotFound',
  flavors: 'FlavorNotFound',
  service_profiles: 'ServiceProfileNotFound',
  quotas: 'TenantQuotaNotFound',
};

const deletable = Object.keys(NOT_FOUND);
const changed = Object.keys(KINDS).filter((collection) => KINDS[collection]!.change !== undefined);
/** Those with `revision_number` that can be changed. */
const REVISED = [
  ...['networks', 'subnets', 'ports', 'subnetpools', 'address_groups', 'security_groups', 'segments'],
  ...['routers', 'floatingips', 'ndp_proxies'],
];
const NAMELESS = ['floatingips'];
/** Nobody is told that there was nothing left to take back. */
const NEVER_MISSING = ['auto_allocated_topology'];

it('all collections are here that can be deleted, and all with revisions that can be changed', () => {
  const served = stack.resources().filter(({ parent }) => parent === undefined);
  const names = (can: (definition: (typeof served)[number]) => boolean) =>
    served.filter(can).map(({ collection }) => collection);
  expect([...deletable, ...NEVER_MISSING].toSorted()).toEqual(
    names(({ operations }) => operations.includes('delete')).toSorted(),
  );
  expect(REVISED.toSorted()).toEqual(
    names(
      ({ operations, attributes }) => operations.includes('update') && Object.hasOwn(attributes, 'revision_number'),
    ).toSorted(),
  );
});

const update = (collection: string, id: string, headers: Readonly<Record<string, string>> = {}) => {
  const { member, change } = KINDS[collection]!;
  return stack.call('PUT', `/v2.0/${collection}/${id}`, { body: { [member]: change!(world, 2) }, headers });
};
const shown = async (collection: string, id: string) =>
  (await stack.call('GET', `/v2.0/${collection}/${id}`)).body?.[KINDS[collection]!.member];

describe.each(REVISED)('of %s', (collection) => {
  const named = !NAMELESS.includes(collection);
  it('exactly one of many updates under one revision is made', async () => {
    const id = await makeOne(world, collection);
    const { revision_number } = await shown(collection, id);
    const headers = { 'If-Match': `revision_number=${revision_number}` };
    const answers = await crowd(() => update(collection, id, headers));
    expect(tally(answers)).toEqual({ 200: 1, '412 RevisionNumberConstraintFailed': CROWD - 1 });
    expect((await shown(collection, id)).revision_number).toBe(revision_number + 1);
  });

  it('every unconditional update is made, and each raises the revision by one', async () => {
    const id = await makeOne(world, collection);
    const { revision_number } = await shown(collection, id);
    const { member } = KINDS[collection]!;
    const texts = (at: number) => (named && at % 2 === 0 ? { name: `name ${at}` } : { description: `text ${at}` });
    const answers = await crowd((at) =>
      stack.call('PUT', `/v2.0/${collection}/${id}`, { body: { [member]: texts(at) } }),
    );
    expect(tally(answers)).toEqual({ 200: CROWD });
    const revisions = answers.map(({ body }) => body[member].revision_number);
    expect(new Set(revisions).size).toBe(CROWD);
    const end = await shown(collection, id);
    expect(end.revision_number).toBe(revision_number + CROWD);
    // None has taken back what another wrote.
    expect(end.description).toMatch(/^text /);
    if (named) expect(end.name).toMatch(/^name /);
  });

  it('one who deletes and many who change under one revision: one of them all', async () => {
    const id = await makeOne(world, collection);
    const { revision_number } = await shown(collection, id);
    const headers = { 'If-Match': `revision_number=${revision_number}` };
    const answers = await crowd((at) =>
      at === 10 ? stack.call('DELETE', `/v2.0/${collection}/${id}`, { headers }) : update(collection, id, headers),
    );
    const counts = tally(answers);
    if (answers[10]!.status === 204) {
      const { [`404 ${NOT_FOUND[collection]}`]: gone = 0, '412 RevisionNumberConstraintFailed': late = 0 } = counts;
      expect({ ...counts, late: gone + late }).toMatchObject({ 204: 1, late: CROWD - 1 });
    } else expect(counts).toEqual({ 200: 1, '412 RevisionNumberConstraintFailed': CROWD - 1 });
  });
});

describe.each(deletable)('of %s', (collection) => {
  it('one of many deletions is made, the others find nothing', async () => {
    const id = await makeOne(world, collection);
    const answers = await crowd(() => stack.call('DELETE', `/v2.0/${collection}/${id}`));
    expect(tally(answers)).toEqual({ 204: 1, [`404 ${NOT_FOUND[collection]}`]: CROWD - 1 });
  });
});

describe.each(changed)('of %s', (collection) => {
  it('many updates and a deletion: what comes after it finds nothing', async () => {
    const id = await makeOne(world, collection);
    const answers = await crowd((at) =>
      at === 5 ? stack.call('DELETE', `/v2.0/${collection}/${id}`) : update(collection, id),
    );
    // A quota that is set again is there again.
    const { 200: done = 0, 204: deleted, ...refused } = tally(answers);
    expect(deleted).toBe(1);
    expect(done + (refused[`404 ${NOT_FOUND[collection]}`] ?? 0)).toBe(CROWD - 1);
    if (collection !== 'quotas') {
      expect((await stack.call('GET', `/v2.0/${collection}/${id}`)).status).toBe(404);
    }
  });
});

it('no transaction had to be run again', () => {
  expect([...stack.counts].filter(([name]) => name.startsWith('nucleon_transaction_retries_total'))).toEqual([]);
});
