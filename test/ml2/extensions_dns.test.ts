/** DNS names of ports, networks and subnets, through the API. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Stack } from '../support/stack.ts';

const start = (dns_domain: string, ...extension_drivers: string[]) =>
  Stack.start('dns', { DEFAULT: { auth_strategy: 'noauth', api_workers: 1, dns_domain }, ml2: { extension_drivers } });

let cloud: Stack;
let unnamed: Stack;
beforeAll(async () => {
  cloud = await start('cloud.example', 'dns_domain_keywords');
  unnamed = await start('openstacklocal', 'dns_domain_ports');
});
afterAll(async () => {
  await cloud?.stop();
  await unnamed?.stop();
});
afterEach(async () => {
  await cloud.clear();
  await unnamed.clear();
});

/** A network with a subnet of either version, on which ports get one address of each. */
async function lan(stack: Stack, body: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { id } = await stack.create('network', body);
  await stack.create('subnet', { network_id: id, ip_version: 4, cidr: '10.0.0.0/24' });
  await stack.create('subnet', { network_id: id, ip_version: 6, cidr: 'fd00::/64' });
  return id;
}
const ADDRESSES = { fixed_ips: [{ ip_address: '10.0.0.3' }, { ip_address: 'fd00::3' }] };
const named = (hostname: string, fqdn: string) =>
  ['10.0.0.3', 'fd00::3'].map((ip_address) => ({ ip_address, hostname, fqdn }));

describe('dns_assignment', () => {
  test('gives an address a name of its own where the port has none', async () => {
    const network_id = await lan(cloud);
    const port = await cloud.create('port', { network_id, ...ADDRESSES });
    expect(port).toMatchObject({ dns_name: '', dns_domain: '' });
    expect(port.dns_assignment).toEqual([
      { ip_address: '10.0.0.3', hostname: 'host-10-0-0-3', fqdn: 'host-10-0-0-3.cloud.example.' },
      { ip_address: 'fd00::3', hostname: 'host-fd00--3', fqdn: 'host-fd00--3.cloud.example.' },
    ]);
  });

  test('gives the port’s name to all its addresses, and the domain of the cloud', async () => {
    const network_id = await lan(cloud, { dns_domain: 'net.example.' });
    const body = { network_id, dns_name: 'VM1', dns_domain: 'own.example.', ...ADDRESSES };
    const port = await cloud.create('port', body);
    expect(port).toMatchObject({ dns_name: 'vm1', dns_domain: 'own.example.' });
    expect(port.dns_assignment).toEqual(named('vm1', 'vm1.cloud.example.'));
    const listed = await cloud.call('GET', '/v2.0/ports?fields=dns_assignment');
    expect(listed.body.ports).toEqual([{ dns_assignment: port.dns_assignment }]);
    expect((await cloud.call('GET', '/v2.0/ports')).body.ports).toEqual([port]);
  });

  test('takes a fully qualified name as it is', async () => {
    const network_id = await lan(cloud);
    const port = await cloud.create('port', { network_id, dns_name: 'vm1.a.cloud.example.', ...ADDRESSES });
    expect(port.dns_assignment).toEqual(named('vm1.a.cloud.example.', 'vm1.a.cloud.example.'));
  });

  test('follows the name and the addresses', async () => {
    const network_id = await lan(cloud);
    const { id } = await cloud.create('port', { network_id, ...ADDRESSES });
    const put = async (body: object) =>
      (await cloud.call('PUT', `/v2.0/ports/${id}`, { body: { port: body } })).body.port;
    expect(await put({ dns_name: 'a' })).toMatchObject({
      dns_name: 'a',
      dns_assignment: named('a', 'a.cloud.example.'),
      revision_number: 2,
    });
    expect((await put({ fixed_ips: [{ ip_address: '10.0.0.9' }] })).dns_assignment).toEqual([
      { ip_address: '10.0.0.9', hostname: 'a', fqdn: 'a.cloud.example.' },
    ]);
    expect((await put({ dns_name: '' })).dns_assignment[0].hostname).toBe('host-10-0-0-9');
    expect((await put({ fixed_ips: [] })).dns_assignment).toEqual([]);
  });

  test('is of many ports one statement', async () => {
    const network_id = await lan(cloud);
    for (const dns_name of ['a', 'b', '']) await cloud.create('port', { network_id, dns_name });
    const before = cloud.counted('nucleon_sql_statements_total');
    const { body } = await cloud.call('GET', '/v2.0/ports?sort_key=dns_name&sort_dir=asc');
    expect(body.ports.map(({ dns_name }: { dns_name: string }) => dns_name)).toEqual(['', 'a', 'b']);
    expect(cloud.counted('nucleon_sql_statements_total') - before).toBe(1);
  });
});

describe('names', () => {
  const LABEL = 'a'.repeat(63);
  // 242 characters: one too many before `.cloud.example.`
  const LONG = `${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(50)}`;

  test.each([
    ['a hyphen in front', '-a'],
    ['an empty label', 'a..b'],
    ['a label too long', `${LABEL}a`],
    ['a space', 'a b'],
    ['a name of another domain', 'a.elsewhere.example.'],
    ['the domain itself', 'cloud.example.'],
    ['a name too long with the domain', LONG],
    ['no text', 7],
    ['null', null],
  ])('%s is refused', async (_, dns_name) => {
    const network_id = await lan(cloud);
    const answer = await cloud.call('POST', '/v2.0/ports', { body: { port: { network_id, dns_name } } });
    expect(answer.status).toBe(400);
  });

  test('the longest name that fits is kept', async () => {
    const network_id = await lan(cloud);
    const dns_name = LONG.slice(0, -2);
    expect((await cloud.create('port', { network_id, dns_name })).dns_name).toBe(dns_name);
  });

  test.each([
    ['no dot at the end', 'example.org'],
    ['a hyphen at the end', 'a-.example.org.'],
    ['no text', 7],
  ])('a domain with %s is refused', async (_, dns_domain) => {
    const answer = await cloud.call('POST', '/v2.0/networks', { body: { network: { dns_domain } } });
    expect(answer.status).toBe(400);
  });

  test('a domain may hold keywords, is changed and taken away', async () => {
    const network = await cloud.create('network', { dns_domain: '<project_id>.Example.org.' });
    expect(network.dns_domain).toBe('<project_id>.example.org.');
    const put = async (dns_domain: string) =>
      (await cloud.call('PUT', `/v2.0/networks/${network.id}`, { body: { network: { dns_domain } } })).body.network;
    expect(await put('b.example.org.')).toMatchObject({ dns_domain: 'b.example.org.', revision_number: 2 });
    expect((await put('')).dns_domain).toBe('');
  });

  test('cannot be said of an assignment', async () => {
    const network_id = await lan(cloud);
    const port = { network_id, dns_assignment: [] };
    expect((await cloud.call('POST', '/v2.0/ports', { body: { port } })).status).toBe(400);
  });
});

test('a subnet says whether its addresses are published', async () => {
  const network_id = (await cloud.create('network', {})).id;
  const subnet = await cloud.create('subnet', { network_id, ip_version: 4, cidr: '10.0.0.0/24' });
  expect(subnet.dns_publish_fixed_ip).toBe(false);
  const body = { subnet: { dns_publish_fixed_ip: true } };
  const changed = await cloud.call('PUT', `/v2.0/subnets/${subnet.id}`, { body });
  expect(changed.body.subnet).toMatchObject({
    dns_publish_fixed_ip: true,
    revision_number: subnet.revision_number + 1,
  });
  const other = { network_id, ip_version: 4, cidr: '10.1.0.0/24', dns_publish_fixed_ip: 'true' };
  expect((await cloud.create('subnet', other)).dns_publish_fixed_ip).toBe(true);
});

describe('as long as dns_domain is nobody’s', () => {
  test('names of ports are not kept, addresses have generated ones', async () => {
    const network_id = await lan(unnamed, { dns_domain: 'net.example.' });
    const port = await unnamed.create('port', { network_id, dns_name: 'vm1', dns_domain: 'a.example.', ...ADDRESSES });
    expect(port).toMatchObject({ dns_name: '', dns_domain: '' });
    expect(port.dns_assignment[0]).toEqual({
      ip_address: '10.0.0.3',
      hostname: 'host-10-0-0-3',
      fqdn: 'host-10-0-0-3.openstacklocal.',
    });
    const changed = await unnamed.call('PUT', `/v2.0/ports/${port.id}`, { body: { port: { dns_name: 'vm2' } } });
    expect(changed.body.port).toEqual(port);
  });

  test('the domain of a network is kept all the same', async () => {
    const { dns_domain } = await unnamed.create('network', { dns_domain: 'net.example.' });
    expect(dns_domain).toBe('net.example.');
  });

  test('subnets of a driver that does not publish have no say', async () => {
    const network_id = (await unnamed.create('network', {})).id;
    const subnet = { network_id, ip_version: 4, cidr: '10.0.0.0/24' };
    expect(await unnamed.create('subnet', subnet)).not.toHaveProperty('dns_publish_fixed_ip');
  });
});

test('without any dns_domain a host’s name is its fully qualified one, and the driver dns knows no domain of a port', async () => {
  const stack = await start('', 'dns');
  try {
    const network_id = await lan(stack);
    const port = await stack.create('port', { network_id, ...ADDRESSES });
    expect(port.dns_assignment[0]).toEqual({
      ip_address: '10.0.0.3',
      hostname: 'host-10-0-0-3',
      fqdn: 'host-10-0-0-3',
    });
    expect(port).not.toHaveProperty('dns_domain');
  } finally {
    await stack.stop();
  }
});

test('a domain with signs that SQL and JSON know is taken literally', async () => {
  const stack = await start(`o'b"r\\n.example`, 'dns');
  try {
    const port = await stack.create('port', { network_id: await lan(stack), ...ADDRESSES });
    expect(port.dns_assignment[0].fqdn).toBe(`host-10-0-0-3.o'b"r\\n.example.`);
  } finally {
    await stack.stop();
  }
});
