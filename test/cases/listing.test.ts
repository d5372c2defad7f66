import { describe, expect, it } from 'vitest';
import { type Attributes, type Caller, ids, names, unknownId, useCloud } from './support.ts';

const people = useCloud('listing');

async function networks(caller: Caller, ...wanted: readonly string[]): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const name of wanted) made[name] = (await caller.network({ name })).id;
  return made;
}

const link = (body: Attributes, rel: string): string | undefined =>
  body.networks_links?.find((one: { rel: string }) => one.rel === rel)?.href;

describe('pages', () => {
  it('walk the whole list once, forwards and backwards, by their links', async () => {
    const { alice } = people();
    const { b, d } = await networks(alice, 'a', 'b', 'c', 'd', 'e');
    const order = 'sort_key=name&sort_dir=asc&limit=2';
    const first = await alice.ask(200, 'GET', `/networks?${order}&fields=name&fields=id`);
    expect(names(first.networks)).toEqual(['a', 'b']);
    for (const part of ['limit=2', `marker=${b}`, 'sort_key=name', 'fields=name']) {
      expect(link(first, 'next')).toContain(part);
    }
    const second = await alice.ask(200, 'GET', `/networks?${order}&marker=${b}`);
    expect(names(second.networks)).toEqual(['c', 'd']);
    expect(link(second, 'next')).toContain(`marker=${d}`);
    expect(link(second, 'previous')).toContain('page_reverse=True');
    const third = await alice.ask(200, 'GET', `/networks?${order}&marker=${d}`);
    expect(names(third.networks)).toEqual(['e']);
    expect(link(third, 'next')).toBeUndefined();
    const back = new URL(link(second, 'previous') ?? '');
    expect(names((await alice.ask(200, 'GET', `/networks${back.search}`)).networks)).toEqual(['a', 'b']);
  });

  it('come without any order asked for, too', async () => {
    const { alice } = people();
    const made = Object.values(await networks(alice, 'a', 'b', 'c', 'd', 'e'));
    const seen: string[] = [];
    for (let marker = ''; ; ) {
      const items = await alice.list(`networks?limit=2${marker}`);
      seen.push(...items.map(({ id }: { id: string }) => id));
      if (items.length < 2) break;
      marker = `&marker=${seen.at(-1)}`;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  it.each(['limit=-1', 'limit=abc', 'limit=1.5'])('are not %s', async (query) => {
    const { alice } = people();
    await alice.refused(400).list(`networks?${query}`);
  });

  it('of 0 items are the whole list', async () => {
    const { alice } = people();
    await networks(alice, 'a', 'b');
    expect(await alice.list('networks?limit=0')).toHaveLength(2);
  });

  it('behind something unknown, or of somebody else, are refused', async () => {
    const { alice, bob } = people();
    await networks(alice, 'a');
    const theirs = await bob.network();
    await alice.refused([400, 404]).list(`networks?limit=1&marker=${unknownId()}`);
    await alice.refused([400, 404]).list(`networks?limit=1&marker=${theirs.id}`);
    await alice.refused([400, 404]).list('networks?limit=1&marker=nothing');
  });
});

describe('order', () => {
  it('is by several keys, each in its direction', async () => {
    const { alice } = people();
    await alice.network({ name: 'b' });
    await alice.network({ name: 'a' });
    await alice.network({ name: 'c', admin_state_up: false });
    const by = async (query: string) => names(await alice.list(`networks?${query}`));
    expect(await by('sort_key=name&sort_dir=desc')).toEqual(['c', 'b', 'a']);
    const up = 'sort_key=admin_state_up&sort_dir=asc';
    expect(await by(`${up}&sort_key=name&sort_dir=asc`)).toEqual(['c', 'a', 'b']);
    expect(await by(`${up}&sort_key=name&sort_dir=desc`)).toEqual(['c', 'b', 'a']);
  });

  it.each([
    'sort_key=name&sort_dir=up',
    'sort_key=bogus&sort_dir=asc',
    'sort_key=name&sort_key=id&sort_dir=asc',
    'sort_key=name&sort_dir=asc&sort_dir=desc',
    'sort_key=subnets&sort_dir=asc',
  ])('is not %s', async (query) => {
    const { alice } = people();
    await alice.refused(400).list(`networks?${query}`);
  });
});

describe('a filter', () => {
  it.each([
    ['networks?nmae=x', 'nmae'],
    ['ports?bogus=1', 'bogus'],
    ['subnets?host_routes=x', 'host_routes'],
    ['networks?subnets=x', 'subnets'],
  ])('that there is none of is named: %s', async (path, name) => {
    const { alice } = people();
    expect(await alice.refused(400).list(path)).toContain(name);
  });

  it('of several values finds any of them; several filters find what fits all', async () => {
    const { alice } = people();
    const a = await alice.network({ name: 'a' });
    const b = await alice.network({ name: 'b', admin_state_up: false });
    const c = await alice.network({ name: 'c' });
    const found = async (query: string) => ids(await alice.list(`networks?${query}`));
    expect(await found('name=a&name=b')).toEqual(ids([a, b]));
    expect(await found('name=a&name=b&admin_state_up=true')).toEqual([a.id]);
    expect(await found('name=a&name=b&admin_state_up=FALSE')).toEqual([b.id]);
    expect(await found(`id=${a.id}&id=${c.id}&id=${unknownId()}`)).toEqual(ids([a, c]));
    expect(await found(`id=${a.id}&name=b`)).toEqual([]);
  });

  it('by an id that can be none finds nothing', async () => {
    const { alice } = people();
    await networks(alice, 'a');
    expect(await alice.list('networks?id=nothing')).toEqual([]);
    expect(await alice.list('ports?network_id=nothing')).toEqual([]);
  });

  it('by CIDR finds the subnet whatever the host bits', async () => {
    const { alice } = people();
    const sub = await alice.subnet(await alice.network(), '10.14.0.0/24');
    for (const cidr of ['10.14.0.0/24', '10.14.0.9/24']) {
      expect(ids(await alice.list(`subnets?cidr=${cidr}`))).toEqual([sub.id]);
    }
    expect(await alice.list('subnets?cidr=10.14.0.0/25')).toEqual([]);
  });

  it('by fixed addresses finds ports by address, subnet and a part of an address', async () => {
    const { alice } = people();
    const net = await alice.network();
    const sub = await alice.subnet(net, '10.31.7.0/24');
    const at = (ip_address: string) => alice.port(net, { fixed_ips: [{ ip_address }] });
    const [one, two] = [await at('10.31.7.77'), await at('10.31.7.8')];
    const by = async (...parts: readonly string[]) =>
      ids(await alice.list(`ports?${parts.map((part) => `fixed_ips=${encodeURIComponent(part)}`).join('&')}`));
    expect(await by('ip_address=10.31.7.77')).toEqual([one.id]);
    expect(await by(`subnet_id=${sub.id}`)).toEqual(ids([one, two]));
    expect(await by('ip_address_substr=31.7.7')).toEqual([one.id]);
    expect(await by(`subnet_id=${sub.id}`, 'ip_address=10.31.7.8')).toEqual([two.id]);
    expect(await by('ip_address=10.31.7.8', 'ip_address=10.31.7.77')).toEqual(ids([one, two]));
    // Wildcards of the database are none of the API's.
    expect(await by('ip_address_substr=31%7')).toEqual([]);
    expect(await by('ip_address_substr=31_7')).toEqual([]);
  });

  it.each(['banana', 'foo=bar'])('by fixed_ips=%s is refused', async (value) => {
    const { alice } = people();
    await alice.refused(400).list(`ports?fixed_ips=${encodeURIComponent(value)}`);
  });

  it('by MTU finds networks', async () => {
    const { alice } = people();
    const small = await alice.network({ mtu: 1400 });
    await alice.network();
    expect(ids(await alice.list('networks?mtu=1400'))).toEqual([small.id]);
    expect(ids(await alice.list('networks?mtu=1400&mtu=1450'))).toHaveLength(2);
  });

  it('by shared tells what is shared with the caller from what is not', async () => {
    const { admin, alice, bob } = people();
    const own = await alice.network();
    const theirs = await bob.network();
    const share = { object_type: 'network', object_id: theirs.id, action: 'access_as_shared' };
    await admin.create('rbac_policy', { ...share, target_tenant: alice.project });
    const both = `id=${own.id}&id=${theirs.id}`;
    expect(ids(await alice.list(`networks?shared=true&${both}`))).toEqual([theirs.id]);
    expect(ids(await alice.list(`networks?shared=false&${both}`))).toEqual([own.id]);
    expect((await alice.show('network', theirs.id)).shared).toBe(true);
  });
});

describe('the fields of a list', () => {
  it('are those that were asked for, nothing else', async () => {
    const { alice } = people();
    const group = await alice.create('security_group', { name: 'sg' });
    expect(await alice.list('security-groups?fields=id&fields=name&name=sg')).toEqual([{ id: group.id, name: 'sg' }]);
    const net = await alice.network({ name: 'n' });
    expect(await alice.list('networks?fields=name')).toEqual([{ name: 'n' }]);
    expect((await alice.ask(200, 'GET', `/networks/${net.id}?fields=id`)).network).toEqual({ id: net.id });
    expect(await alice.list('networks?fields=nothing')).toEqual([{}]);
  });
});
