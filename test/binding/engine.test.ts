/** The engine with drivers of the test's own: levels, dynamic segments, drivers that fail, and others who are quicker. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BindingRequest, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { type Thing, World } from '../ml2/support.ts';
import { bound, driver, failures, levels, Refused, recordingLog } from './support.ts';

type Bind = NonNullable<MechanismDriver['bind_port']>;
const first: Bind = ({ segments }) => bound(segments[0]!);

const { log, lines } = recordingLog();
let top: Bind;
let low: Bind;
let precommit: () => void;
let postcommit: () => void;
let asked: BindingRequest[];
let world: World;
let network: Thing;
beforeAll(async () => {
  const heard = (bind: () => Bind) => (request: BindingRequest) => {
    asked.push(request);
    return bind()(request);
  };
  const drivers = [
    driver(
      'top',
      heard(() => top),
      { dynamic_segments: true },
    ),
    driver(
      'low',
      heard(() => low),
      { agent_type: 'Low agent', update_port_precommit: () => precommit(), update_port_postcommit: () => postcommit() },
    ),
    { name: 'deaf' },
  ];
  world = await World.start({}, drivers, log);
  ({ network } = await world.lan());
});
afterAll(() => world.stop());
beforeEach(() => {
  top = () => null;
  low = first;
  precommit = () => {};
  postcommit = () => {};
  asked = [];
  lines.length = 0;
});
afterEach(async () => {
  await world.database.sql`delete from ports`;
  await world.database.sql`delete from network_segments where is_dynamic`;
});

const onHost = (host = 'h1', body = {}) =>
  world.create('port', { network_id: network.id, 'binding:host_id': host, ...body });
const dynamicSegments = async () => {
  const rows = await world.database.sql<{ physical_network: string }[]>`
    select physical_network from network_segments where is_dynamic order by physical_network`;
  return rows.map(({ physical_network }) => physical_network);
};
/** Binds the network's segment, and leaves a VLAN below it to the others. */
const hierarchical: Bind = async ({ segments, levels: above, allocateDynamicSegment }) => {
  if (above.length > 0) return null;
  const next = await allocateDynamicSegment({ network_type: 'vlan', physical_network: 'physnet1' });
  return { kind: 'continue', segment: segments[0]!, next: [next] };
};
const belowTop: Bind = ({ segments, levels: above, refuse }) => {
  if (above.length > 0) return bound(segments[0]!);
  refuse('only below another');
  return null;
};

describe('drivers', () => {
  test('are asked in order, with the port, its network and its agents', async () => {
    const made = await onHost('h1', { 'binding:profile': { a: 1 } });
    expect(made['binding:vif_details']).toEqual({ connectivity: 'l2', bound_drivers: { '0': 'low' } });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({
      host: 'h1',
      vnic_type: 'normal',
      profile: { a: 1 },
      port: { id: made.id, 'binding:vif_type': 'unbound' },
      network: { id: network.id, mtu: 1450 },
      segments: [{ network_type: 'vxlan' }],
      levels: [],
      agents: [],
    });
    expect(asked[0]!.original).toBeUndefined();
    await world.update('port', made.id, { 'binding:host_id': 'h2' });
    expect(asked.at(-1)).toMatchObject({
      host: 'h2',
      original: { 'binding:host_id': 'h1', 'binding:vif_type': 'ovs' },
    });
  });

  test('that fail are passed over; what they throw on purpose is told, what is a defect is not', async () => {
    top = () => {
      throw new Error('secret');
    };
    low = () => {
      throw new Refused('the name server is away');
    };
    const made = await onHost();
    expect(made['binding:vif_type']).toBe('binding_failed');
    expect(await failures(world, made.id)).toEqual([
      'top: the driver failed: see the log of the server',
      'low: the name server is away',
    ]);
    expect(lines.map(({ message }) => message)).toContain('a mechanism driver failed');
  });

  test('that say nothing are said to have said nothing', async () => {
    low = () => null;
    const made = await onHost();
    expect(await failures(world, made.id)).toEqual([
      'top: the driver does not bind it, and does not say why',
      'low: the driver does not bind it, and does not say why',
    ]);
  });

  test('cannot bind what they were not given', async () => {
    const foreign = { id: crypto.randomUUID(), network_type: 'vlan', physical_network: 'p', segmentation_id: 1 };
    top = () => bound(foreign);
    const made = await onHost();
    expect(await levels(world, made.id)).toEqual(['low: vxlan']);
    low = () => null;
    const failed = await onHost();
    expect((await failures(world, failed.id))[0]).toBe('top: the driver offers a segment that it was not given');
  });

  test('may say what the port is at once', async () => {
    low = ({ segments }) => ({ ...bound(segments[0]!), status: 'ACTIVE' }) as ReturnType<typeof bound>;
    expect(await onHost()).toMatchObject({ status: 'ACTIVE' });
  });

  test('with an agent make the port wait for it; ports of services wait for nobody', async () => {
    const waiting = async (device_owner: string) => {
      const { id } = await onHost('h1', { device_owner });
      return (await world.database.sql`select 1 from port_provisioning_blocks where port_id = ${id} and entity = 'L2'`)
        .length;
    };
    expect([await waiting('compute:nova'), await waiting(''), await waiting('network:dhcp')]).toEqual([1, 1, 0]);
  });

  test('that connect on other layers are not asked for ports without addresses', async () => {
    const l3 = await World.start({}, [driver('l3', first, { connectivity: 'l3' })]);
    try {
      const { network: lan } = await l3.lan();
      const bind = (fixed_ips: unknown) =>
        l3.create('port', {
          network_id: lan.id,
          'binding:host_id': 'h1',
          ...(fixed_ips === undefined ? {} : { fixed_ips }),
        });
      expect(await bind(undefined)).toMatchObject({ 'binding:vif_type': 'ovs' });
      const made = await bind([]);
      expect(await failures(l3, made.id)).toEqual([
        'l3: the port has no address, and the driver does not connect ports on layer 2',
      ]);
    } finally {
      await l3.stop();
    }
  });
});

describe('levels', () => {
  test('are bound by several drivers, over a segment made for them', async () => {
    top = hierarchical;
    low = belowTop;
    const made = await onHost();
    expect(await levels(world, made.id)).toEqual(['top: vxlan', 'low: vlan']);
    expect(made['binding:vif_details']).toMatchObject({ bound_drivers: { '0': 'top', '1': 'low' } });
    expect(asked.at(-1)!.levels).toMatchObject([{ driver: 'top', segment: { network_type: 'vxlan' } }]);
    expect(await dynamicSegments()).toEqual(['physnet1']);
  });

  test('share dynamic segments, which are gone with the last port on them', async () => {
    top = hierarchical;
    low = belowTop;
    const ports = await Promise.all([onHost('h1'), onHost('h2'), onHost('h3')]);
    expect(await dynamicSegments()).toEqual(['physnet1']);
    const shown = await world.show('network', network.id);
    expect(shown).toMatchObject({ 'provider:network_type': 'vxlan' });
    await world.remove('port', ports[0].id);
    await world.update('port', ports[1].id, { 'binding:host_id': '' });
    expect(await dynamicSegments()).toEqual(['physnet1']);
    await world.remove('port', ports[2].id);
    expect(await dynamicSegments()).toEqual([]);
  });

  test('that lead nowhere are passed over, and leave no segment behind', async () => {
    top = hierarchical;
    low = ({ segments, levels: above, refuse }) => {
      if (above.length === 0) return bound(segments[0]!);
      refuse('not here', segments[0]);
      return null;
    };
    const made = await onHost();
    expect(await levels(world, made.id)).toEqual(['low: vxlan']);
    low = ({ refuse }) => {
      refuse('not here');
      return null;
    };
    const failed = await onHost();
    expect(await failures(world, failed.id)).toEqual([
      'top: the driver does not bind it, and does not say why',
      'low: not here',
      'top: nobody binds what the driver offers below this segment',
      'low: not here',
    ]);
    await world.remove('port', made.id);
    expect(await dynamicSegments()).toEqual([]);
  });

  test('are not bound twice by one driver on one segment, nor without end', async () => {
    top = ({ segments }) => ({ kind: 'continue', segment: segments[0]!, next: segments });
    low = () => null;
    const circle = await onHost();
    expect(await failures(world, circle.id)).toContain('top: the driver has bound this segment on a level above');
    let made = 0;
    top = ({ segments }) => {
      made += 1;
      return { kind: 'continue', segment: segments[0]!, next: [{ ...segments[0]!, id: crypto.randomUUID() }] };
    };
    const endless = await onHost();
    expect(made).toBe(10);
    expect(await failures(world, endless.id)).toContain('ml2: the drivers offer more than 10 levels');
  });

  test('a driver that does not say so allocates no dynamic segments', async () => {
    low = hierarchical;
    const made = await onHost();
    expect(await failures(world, made.id)).toContain('low: the driver failed: see the log of the server');
    expect(await dynamicSegments()).toEqual([]);
  });
});

/** Lets something happen while the driver is asked for the first time. */
const meanwhile = (happens: (port: BindingRequest['port']) => Promise<unknown>): Bind => {
  let times = 0;
  return async ({ port, segments }) => {
    if (times++ === 0) await happens(port);
    return segments[0] === undefined ? null : bound(segments[0], `try${times}`);
  };
};

describe('others who are quicker', () => {
  test('a second binder: theirs is taken', async () => {
    low = meanwhile(async ({ id }) => {
      low = ({ segments }) => bound(segments[0]!, 'theirs');
      await world.update('port', String(id), {});
    });
    const made = await onHost();
    expect(made).toMatchObject({ 'binding:vif_type': 'theirs', revision_number: 2 });
    expect(await world.show('port', made.id)).toEqual(made);
  });

  test('two at once: one binds, both answer the same', async () => {
    low = () => null;
    const made = await onHost();
    low = first;
    await world.database.sql`update port_bindings set vif_type = 'unbound'`;
    const answers = await Promise.all(Array.from({ length: 4 }, () => world.update('port', made.id, {})));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ 'binding:vif_type': 'ovs', revision_number: made.revision_number + 1 });
  });

  test('the host changes: drivers are asked again, for the new one', async () => {
    low = meanwhile(({ id }) => world.database.sql`update port_bindings set host = 'h2' where port_id = ${String(id)}`);
    const made = await onHost();
    expect(made).toMatchObject({ 'binding:vif_type': 'try2', 'binding:host_id': 'h2' });
    expect(asked.at(-1)!.host).toBe('h2');
  });

  test('the host is taken away: the port is not bound', async () => {
    low = meanwhile(({ id }) => world.database.sql`update port_bindings set host = '' where port_id = ${String(id)}`);
    expect(await onHost()).toMatchObject({ 'binding:vif_type': 'unbound', 'binding:host_id': '' });
  });

  test('a name changes: the binding stands, and shows the name', async () => {
    low = meanwhile(
      ({ id }) => world.database.sql`
      update ports set name = 'new', revision_number = revision_number + 1 where id = ${String(id)}`,
    );
    const made = await onHost();
    expect(made).toMatchObject({ 'binding:vif_type': 'try1', name: 'new', revision_number: 3 });
    expect(await world.show('port', made.id)).toEqual(made);
  });

  test('the segment is deleted: drivers are asked again', async () => {
    const other = await world.create('network', {
      segments: [
        { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet2', 'provider:segmentation_id': 5 },
        { 'provider:network_type': 'vlan', 'provider:physical_network': 'physnet2', 'provider:segmentation_id': 6 },
      ],
    });
    low = meanwhile(
      () => world.database.sql`delete from network_segments where segmentation_id = 5 and network_type = 'vlan'`,
    );
    const made = await world.create('port', { network_id: other.id, 'binding:host_id': 'h1' });
    expect(made).toMatchObject({ 'binding:vif_type': 'try2' });
    expect(asked.at(-1)!.segments).toMatchObject([{ segmentation_id: 6 }]);
  });

  test('the port is deleted: it is answered as it was made', async () => {
    low = meanwhile(({ id }) => world.remove('port', String(id)));
    expect(await onHost()).toMatchObject({ 'binding:vif_type': 'unbound', 'binding:host_id': 'h1' });
    expect(await world.list('port')).toEqual([]);
  });

  test('a change each time: it ends, and is said', async () => {
    let times = 0;
    low = async ({ port, segments }) => {
      await world.database.sql`update port_bindings set host = ${`h${++times}`} where port_id = ${String(port['id'])}`;
      return bound(segments[0]!);
    };
    expect(await onHost('h0')).toMatchObject({ 'binding:vif_type': 'unbound' });
    expect(times).toBe(10);
    expect(lines.map(({ message }) => message)).toEqual([
      'ports are not bound: they change each time that drivers have been asked',
    ]);
  });
});

test.each(['precommit', 'postcommit'])('a driver whose %s fails the binding undoes the creation', async (phase) => {
  const refuse = () => {
    throw new Refused('no');
  };
  if (phase === 'precommit') precommit = refuse;
  else postcommit = refuse;
  await expect(onHost()).rejects.toMatchObject({ type: 'Refused', status: 409 });
  expect(await world.list('port')).toEqual([]);
});
