/** What becomes of a request when a mechanism driver fails, as in Neutron. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toNeutronError } from '#src/api/faults.ts';
import { defineError } from '#src/lib/errors.ts';
import type { MechanismContext, MechanismDriver, MechanismHook } from '#src/lib/ml2/mechanism_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { refusal, type Thing, World } from '../ml2/support.ts';
import { Refused, recordingLog } from './support.ts';

const Away = defineError('Away', 503, (text: string) => text);
const KINDS = ['network', 'subnet', 'port'] as const;
type Kind = (typeof KINDS)[number];

const { log, lines } = recordingLog();
let failing: Partial<Record<`${'one' | 'two'} ${MechanismHook}`, () => void>>;
let told: string[];
let world: World;
let network: Thing;
beforeAll(async () => {
  const hooked = (name: 'one' | 'two'): MechanismDriver => {
    const hooks: Partial<Record<MechanismHook, (context: MechanismContext) => void>> = {};
    for (const kind of KINDS) {
      for (const operation of ['create', 'update', 'delete'] as const) {
        for (const phase of ['precommit', 'postcommit'] as const) {
          const hook = `${operation}_${kind}_${phase}` as const;
          hooks[hook] = () => {
            told.push(`${name} ${hook}`);
            failing[`${name} ${hook}`]?.();
          };
        }
      }
    }
    return { name, ...hooks };
  };
  world = await World.start({}, [hooked('one'), hooked('two')], log);
  failing = {};
  told = [];
  ({ network } = await world.lan());
});
afterAll(() => world.stop());
beforeEach(() => {
  failing = {};
  told = [];
  lines.length = 0;
});

const defect = () => {
  throw new Error('secret of the driver');
};
const refuse = () => {
  throw new Refused('not like this');
};
let subnets = 0;
const BODIES: Readonly<Record<Kind, () => Resource>> = {
  network: () => ({ name: 'x' }),
  subnet: () => ({ network_id: network.id, ip_version: 4, cidr: `10.9.${++subnets}.0/24` }),
  port: () => ({ network_id: network.id }),
};
const create = (kind: Kind) => world.create(kind, BODIES[kind]());
const mechanismError = (hook: MechanismHook) => ({
  type: 'MechanismDriverError',
  status: 500,
  message: `${hook} failed.`,
});

describe.each(KINDS)('%s', (kind) => {
  test.each(['create', 'update', 'delete'] as const)('a precommit that fails refuses the %s', async (operation) => {
    const made = await create(kind);
    const before = await world.snapshot();
    const run = () =>
      operation === 'create'
        ? create(kind)
        : operation === 'update'
          ? world.update(kind, made.id, { name: 'other' })
          : world.remove(kind, made.id);
    const hook = `${operation}_${kind}_precommit` as const;
    failing[`two ${hook}`] = refuse;
    expect(await refusal(run())).toEqual({ type: 'Refused', status: 409, message: 'not like this' });
    failing[`two ${hook}`] = defect;
    expect(await refusal(run())).toEqual(mechanismError(hook));
    expect(await world.snapshot()).toEqual(before);
    expect(lines.map(({ fields }) => (fields['error'] as Error).message)).toEqual(['secret of the driver']);
    failing = {};
    await world.remove(kind, made.id);
  });

  test('a postcommit that fails undoes the creation, and no driver after it is told of that', async () => {
    const before = await world.snapshot();
    failing[`one create_${kind}_postcommit`] = defect;
    expect(await refusal(create(kind))).toEqual(mechanismError(`create_${kind}_postcommit`));
    const hooks = [
      `one create_${kind}_precommit`,
      `two create_${kind}_precommit`,
      `one create_${kind}_postcommit`,
      `one delete_${kind}_precommit`,
      `two delete_${kind}_precommit`,
      `one delete_${kind}_postcommit`,
      `two delete_${kind}_postcommit`,
    ];
    expect(told.toSorted()).toEqual(hooks.toSorted());
    const shown = (snapshot: unknown) => ({ ...(snapshot as object), outbox: [], networks: [] });
    expect(shown(await world.snapshot())).toEqual(shown(before));
    failing[`one create_${kind}_postcommit`] = refuse;
    expect(await refusal(create(kind))).toMatchObject({ type: 'Refused', status: 409 });
  });

  test('a postcommit that fails leaves an update as it is', async () => {
    const made = await create(kind);
    failing[`one update_${kind}_postcommit`] = defect;
    const updated = world.update(kind, made.id, { name: 'other' });
    if (kind === 'port') expect(await updated).toMatchObject({ name: 'other' });
    else expect(await refusal(updated)).toEqual(mechanismError(`update_${kind}_postcommit`));
    expect(told).toContain(`two update_${kind}_postcommit`);
    expect(await world.show(kind, made.id)).toMatchObject({ name: 'other' });
    expect(lines).toHaveLength(1);
    await world.remove(kind, made.id);
  });

  test('a postcommit that fails leaves a deletion done', async () => {
    const made = await create(kind);
    failing[`one delete_${kind}_postcommit`] = refuse;
    await world.remove(kind, made.id);
    expect(told).toContain(`two delete_${kind}_postcommit`);
    expect(await refusal(world.show(kind, made.id))).toMatchObject({ status: 404 });
    expect(lines).toHaveLength(1);
  });
});

test('errors of several drivers are joined; of different statuses they are a conflict', async () => {
  const made = await create('network');
  const update = async () => {
    const failure = await world
      .update('network', made.id, { name: crypto.randomUUID() })
      .catch((error: unknown) => error);
    const { type, status, message } = toNeutronError(failure, log, {});
    return { type, status, message };
  };
  failing['one update_network_postcommit'] = refuse;
  failing['two update_network_postcommit'] = () => {
    throw new Refused('nor like this');
  };
  expect(await update()).toEqual({ type: 'Refused', status: 409, message: 'not like this\nnor like this' });
  failing['two update_network_postcommit'] = () => {
    throw new Away('later');
  };
  expect(await update()).toEqual({
    type: 'Conflict',
    status: 409,
    message: 'HTTP 409 Refused: not like this\nHTTP 503 Away: later',
  });
  await world.remove('network', made.id);
});

test('a bulk creation of which one fails is undone as a whole', async () => {
  let times = 0;
  failing['two create_port_postcommit'] = () => {
    if (++times === 2) refuse();
  };
  const bodies = [BODIES.port(), BODIES.port(), BODIES.port()];
  expect(await refusal(world.call('create_port_bulk', { bodies }))).toMatchObject({ type: 'Refused' });
  expect(await world.list('port')).toEqual([]);
  const [row] = await world.database
    .sql`select coalesce(sum(in_use), 0)::int as used from quota_usages where resource = 'port'`;
  expect(row).toEqual({ used: 0 });
});

test('a creation that cannot be undone is for an operator: it is said which', async () => {
  failing['one create_network_postcommit'] = refuse;
  failing['one delete_network_precommit'] = refuse;
  expect(await refusal(create('network'))).toMatchObject({ type: 'Refused' });
  const left = lines.find(({ message }) => message.startsWith('a resource is still there'));
  expect(left?.fields).toMatchObject({ kind: 'network', id: expect.any(String) });
  failing = {};
  await world.remove('network', String(left?.fields['id']));
});

test('a deletion of a port calls the drivers in reverse', async () => {
  const made = await create('port');
  told = [];
  await world.remove('port', made.id);
  expect(told).toEqual([
    'two delete_port_precommit',
    'one delete_port_precommit',
    'two delete_port_postcommit',
    'one delete_port_postcommit',
  ]);
});
