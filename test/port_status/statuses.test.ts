/** Statuses of ports as reports change them: what each report does, what waits for what, and what it costs. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Resource } from '#src/lib/plugin.ts';
import { createOutbox } from '#src/outbox/mod.ts';
import { createStatuses, type PortStatuses, PREPARED_PORT } from '#src/plugins/ml2/status/mod.ts';
import { ADMIN, World } from '../ml2/support.ts';

const COMPUTE = { device_owner: 'compute:nova', device_id: '5d2b0d8b-92d8-4a33-a3d5-0c5e0c9b4f3b' };

let world: World;
let statuses: PortStatuses;
let network_id: string;
/** What drivers were told, in order. */
let told: string[] = [];

beforeAll(async () => {
  world = await World.start();
  const { db } = world.database;
  const tell =
    (when: string) =>
    async (operation: string, { current, original }: Told): Promise<undefined> => {
      told.push(`${operation} ${when} ${original?.['status']} -> ${current['status']}`);
      return undefined;
    };
  statuses = createStatuses({
    db,
    outbox: createOutbox(),
    callbacks: world.callbacks,
    mechanisms: { precommit: tell('precommit'), postcommit: tell('postcommit') },
    extensions: { ports: { attributes: {}, joins: '' } },
  });
  const { network } = await world.lan();
  network_id = network.id;
});
afterAll(() => world.stop());
beforeEach(() => {
  told = [];
});

interface Told {
  readonly current: Resource;
  readonly original?: Resource;
}

/** A port that waits for these, bound to the host unless it is null. */
async function port(host: string | null, entities: readonly ('L2' | 'DHCP')[], body: Resource = {}): Promise<string> {
  const { id } = await world.create('port', { network_id, ...COMPUTE, ...body });
  const { db, sql } = world.database;
  if (host !== null) {
    await sql`update port_bindings set host = ${host}, vif_type = 'ovs' where port_id = ${id}`;
  }
  await db.transaction({ label: 'test' }, (tx) =>
    statuses.block(
      tx,
      entities.map((entity) => ({ port_id: id, entity })),
    ),
  );
  return id;
}

const provisioned = (entity: 'L2' | 'DHCP', id: string, host?: string) =>
  statuses.provisioned(ADMIN, entity, [{ port_id: id, ...(host === undefined ? {} : { host }) }]);
const on = (host: string, ports: readonly { readonly port_id: string }[]) => ports.map((port) => ({ ...port, host }));
const arrivals = (host: string, ...ids: readonly string[]) => ids.map((port_id) => ({ port_id, host }));
const look = async (id: string): Promise<readonly [unknown, unknown]> => {
  const { status, revision_number } = await world.show('port', id);
  return [status, revision_number];
};
const blocksOf = async (id: string): Promise<readonly string[]> => {
  const rows = await world.database.sql<{ entity: string }[]>`
    select entity from port_provisioning_blocks where port_id = ${id} order by entity`;
  return rows.map(({ entity }) => entity);
};

describe('provisioned()', () => {
  it('makes a port ACTIVE when the last of those that it waits for has reported', async () => {
    const id = await port('host1', ['L2', 'DHCP']);
    expect(await provisioned('L2', id, 'host1')).toEqual([]);
    expect([await look(id), await blocksOf(id)]).toEqual([['DOWN', 1], ['DHCP']]);
    const changed = await provisioned('DHCP', id);
    const now = await world.show('port', id);
    expect(changed.map(({ id, status }) => ({ id, status }))).toEqual([{ id, status: 'ACTIVE' }]);
    expect(changed[0]).toMatchObject({ revision_number: 2, updated_at: now['updated_at'] });
    expect([await look(id), await blocksOf(id)]).toEqual([['ACTIVE', 2], []]);
    expect(told).toEqual(['update_port precommit DOWN -> ACTIVE', 'update_port postcommit DOWN -> ACTIVE']);
  });

  it('makes a port ACTIVE that waits for nobody', async () => {
    const id = await port('host1', []);
    expect(await provisioned('L2', id, 'host1')).toHaveLength(1);
    expect(await look(id)).toEqual(['ACTIVE', 2]);
  });

  it('changes nothing when it is said again, and answers so', async () => {
    const id = await port('host1', ['L2']);
    await provisioned('L2', id, 'host1');
    told = [];
    expect(await provisioned('L2', id, 'host1')).toEqual([]);
    expect([await look(id), told]).toEqual([['ACTIVE', 2], []]);
  });

  it.each([
    ['of a host that the port is not bound to', 'host1', {}, ['L2'], 'host2', ['L2']],
    ['while it is bound to no host', null, {}, ['L2'], undefined, []],
    ['while it is disabled', 'host1', { admin_state_up: false }, ['L2'], 'host1', []],
  ] as const)('does not make a port ACTIVE %s', async (_, host, body, entities, reporter, left) => {
    const id = await port(host, entities, body);
    expect(await provisioned('L2', id, reporter)).toEqual([]);
    expect([await look(id), await blocksOf(id)]).toEqual([['DOWN', 1], left]);
  });

  it('leaves a port alone whose binding failed', async () => {
    const id = await port('host1', ['L2']);
    await world.database.sql`update port_bindings set vif_type = 'binding_failed' where port_id = ${id}`;
    expect(await provisioned('L2', id, 'host1')).toEqual([]);
    expect(await look(id)).toEqual(['DOWN', 1]);
  });

  it('answers for ports that do not exist, and names that are no ids, as if they were not named', async () => {
    const id = await port('host1', ['L2']);
    const named = [{ port_id: crypto.randomUUID() }, { port_id: id }, { port_id: "x'; --" }];
    expect(await statuses.provisioned(ADMIN, 'L2', on('host1', named))).toHaveLength(1);
    expect(await look(id)).toEqual(['ACTIVE', 2]);
  });

  it('of ports on many hosts makes those ACTIVE that are where the report says', async () => {
    const [a, b, c] = [await port('host1', ['L2']), await port('host2', ['L2']), await port('host2', ['L2'])];
    const reports = [
      ...on('host1', [{ port_id: a }, { port_id: c }]),
      ...on('host2', [{ port_id: b }, { port_id: b }]),
    ];
    const changed = await statuses.provisioned(ADMIN, 'L2', reports);
    expect(changed.map(({ id }) => id).toSorted()).toEqual([a, b].toSorted());
    expect([await look(a), await look(b), await look(c)]).toEqual([
      ['ACTIVE', 2],
      ['ACTIVE', 2],
      ['DOWN', 1],
    ]);
  });

  it('takes as many statements for fifty ports as for one', async () => {
    const many = await Promise.all(Array.from({ length: 50 }, () => port('host1', ['L2'])));
    const one = await port('host1', ['L2']);
    const cost = async (named: readonly string[]) => {
      const ports = named.map((port_id) => ({ port_id }));
      return await world.statements(() => statuses.provisioned(ADMIN, 'L2', on('host1', ports)));
    };
    expect(await cost([one])).toBe(await cost(many));
    expect(new Set(await Promise.all(many.map(look)).then((seen) => seen.map(String)))).toEqual(new Set(['ACTIVE,2']));
  });

  it('of both entities at once makes the port ACTIVE once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => port('host1', ['L2', 'DHCP'])));
    const ports = ids.map((port_id) => ({ port_id }));
    const changed = await Promise.all([
      statuses.provisioned(ADMIN, 'L2', on('host1', ports)),
      statuses.provisioned(ADMIN, 'DHCP', ports.toReversed()),
      statuses.provisioned(ADMIN, 'L2', on('host1', ports.toReversed())),
    ]);
    expect(
      changed
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(new Set((await Promise.all(ids.map(look))).map(String))).toEqual(new Set(['ACTIVE,2']));
  });
});

describe('arrived()', () => {
  it('tells of ports that a migration has prepared on the host, and leaves them as they are', async () => {
    const moving = await port('host1', []);
    const other = await port('host1', []);
    await world.database.sql`
      insert into port_bindings (port_id, host, vif_type, status) values (${moving}, 'host2', 'ovs', 'INACTIVE')`;
    const heard: string[] = [];
    const stop = world.callbacks.subscribe(PREPARED_PORT, 'precommit_update', ({ resource_id }) => {
      heard.push(resource_id);
    });
    await statuses.arrived(ADMIN, arrivals('host2', moving, other, 'no id'));
    await statuses.arrived(ADMIN, arrivals('host3', moving, other));
    stop();
    expect(heard).toEqual([moving]);
    expect(await look(moving)).toEqual(['DOWN', 1]);
  });
});

describe('setStatus()', () => {
  it('sets what the host of each port says, and the revision grows', async () => {
    const [one, two, foreign] = [await port('host1', []), await port('host1', []), await port('host2', [])];
    const say = (port_id: string, status: 'BUILD' | 'DOWN' | 'ERROR') => ({ port_id, status, host: 'host1' });
    const changed = await statuses.setStatus(ADMIN, [say(one, 'BUILD'), say(two, 'ERROR'), say(foreign, 'BUILD')]);
    expect(changed.map(({ id }) => id).toSorted()).toEqual([one, two].toSorted());
    expect([await look(one), await look(two), await look(foreign)]).toEqual([
      ['BUILD', 2],
      ['ERROR', 2],
      ['DOWN', 1],
    ]);
  });

  it('changes nothing when it is said again', async () => {
    const id = await port('host1', []);
    const change = [{ port_id: id, status: 'BUILD', host: 'host1' }] as const;
    await statuses.setStatus(ADMIN, change);
    expect(await statuses.setStatus(ADMIN, change)).toEqual([]);
    expect(await look(id)).toEqual(['BUILD', 2]);
  });

  it('says nothing of a port that has moved while it waited', async () => {
    const id = await port('host1', []);
    const { db } = world.database;
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const { promise: go, resolve: move } = Promise.withResolvers<void>();
    const moving = db.transaction({ label: 'move' }, async (tx) => {
      await tx`select 1 from ports where id = ${id} for no key update`;
      isLocked();
      await go;
      await tx`update port_bindings set host = 'host2' where port_id = ${id}`;
    });
    await locked;
    const report = statuses.setStatus(ADMIN, [{ port_id: id, status: 'ACTIVE', host: 'host1' }]);
    await waitsForLock(id);
    move();
    await moving;
    expect(await report).toEqual([]);
    expect(await look(id)).toEqual(['DOWN', 1]);
  });

  it('publishes what it changes, in the transaction and after it', async () => {
    const id = await port('host1', []);
    const heard: unknown[] = [];
    const hear = (event: 'precommit_update' | 'after_update') =>
      world.callbacks.subscribe('port', event, ({ original, latest, request, tx }) => {
        const [was, is] = [original, latest] as readonly Resource[];
        heard.push([event, was?.['status'], is?.['status'], request?.['status'], tx !== undefined]);
      });
    const stops = [hear('precommit_update'), hear('after_update')];
    await statuses.setStatus(ADMIN, [{ port_id: id, status: 'BUILD', host: null }]);
    for (const stop of stops) stop();
    expect(heard).toEqual([
      ['precommit_update', 'DOWN', 'BUILD', 'BUILD', true],
      ['after_update', 'DOWN', 'BUILD', 'BUILD', false],
    ]);
  });

  it('is undone when a listener refuses it', async () => {
    const [id, other] = [await port('host1', []), await port('host1', [])];
    const stop = world.callbacks.subscribe('port', 'precommit_update', ({ resource_id }) => {
      if (resource_id === other) throw new Error('no');
    });
    const say = (port_id: string) => ({ port_id, status: 'BUILD', host: 'host1' }) as const;
    await expect(statuses.setStatus(ADMIN, [say(id), say(other)])).rejects.toThrow('no');
    stop();
    expect([await look(id), await look(other)]).toEqual([
      ['DOWN', 1],
      ['DOWN', 1],
    ]);
  });
});

/** Until somebody waits for a lock in the database. */
async function waitsForLock(what: string): Promise<void> {
  const end = Date.now() + 10_000;
  for (;;) {
    const [row] = await world.database.sql`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    if (row !== undefined) return;
    if (Date.now() > end) throw new Error(`nobody waits for ${what}`);
  }
}
