/** The API, driven over HTTP alone: what must be the same on every runtime that serves it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/nucleon.ts';
import { passwordLogin, type Row, Session, send } from './client.ts';

/** What an agent is told, as it leaves the outbox. */
export interface HeardMessage {
  readonly topic: string;
  readonly method: unknown;
  readonly args: Readonly<Record<string, unknown>>;
}

/** An API that runs. */
export interface RunningApi {
  readonly url: string;
  /** The administrator's. */
  readonly password: string;
  /** What was sent to all agents or to the host `compute-1` so far. */
  heard(): readonly HeardMessage[];
  stop(): Promise<void>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ABSENT = '6b0d8a3e-6f0c-4c39-9d0b-0d4b3a3c4f11';

const names = (rows: readonly Row[]) => rows.map((row) => row['name']);
const addresses = (port: Row) => (port['fixed_ips'] as { ip_address: string }[]).map(({ ip_address }) => ip_address);

/** Declares the suite; `start` is called once. */
export function apiSuite(name: string, start: () => Promise<RunningApi>): void {
  describe(`the API on ${name}`, () => {
    let api: RunningApi;
    let admin: Session;

    beforeAll(async () => {
      api = await start();
      admin = await Session.logIn(api.url, 'admin', api.password, 'admin');
    });
    afterAll(() => api?.stop());

    /** A network with one IPv4 subnet. */
    async function lan(session: Session, cidr = '10.0.0.0/24'): Promise<{ network: Row; subnet: Row }> {
      const network = await session.create('networks', { name: `lan ${crypto.randomUUID()}` });
      return { network, subnet: await session.create('subnets', { network_id: network.id, ip_version: 4, cidr }) };
    }

    describe('to everybody', () => {
      it('tells its versions', async () => {
        const { status, body } = await send(api.url, 'GET', '/');
        expect(status).toBe(200);
        expect(body).toEqual({
          versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: `${api.url}/v2.0/` }] }],
        });
      });

      it('describes itself', async () => {
        const { status, body } = await send(api.url, 'GET', '/v2.0/openapi.json');
        expect(status).toBe(200);
        expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: api.url }] });
        expect((await send(api.url, 'GET', '/v2.0/openapi')).text).toContain('<code>/v2.0/ports/{port_id}</code>');
      });

      it('says that it is healthy', async () => {
        expect(await send(api.url, 'GET', '/healthcheck')).toMatchObject({ status: 200, text: 'OK' });
      });

      it('refuses a request without a token, and with one that nobody gave', async () => {
        for (const headers of [undefined, { 'X-Auth-Token': 'invented' }]) {
          const answer = await send(api.url, 'GET', '/v2.0/networks', { headers });
          expect(answer.status).toBe(401);
          expect(answer.headers.get('WWW-Authenticate')).toBe(`Keystone uri="${api.url}/identity"`);
        }
      });
    });

    describe('to who logs in', () => {
      it('gives a token for the right password and none for a wrong one', async () => {
        const path = '/identity/v3/auth/tokens';
        const right = await send(api.url, 'POST', path, { body: passwordLogin('admin', api.password, 'admin') });
        expect(right.status).toBe(201);
        const { catalog } = right.body['token'] as { catalog: { type: string; endpoints: { url: string }[] }[] };
        const network = catalog.find(({ type }) => type === 'network');
        expect(network?.endpoints.map(({ url }) => url)).toContain(api.url);
        const wrong = await send(api.url, 'POST', path, { body: passwordLogin('admin', 'wrong', 'admin') });
        expect(wrong.status).toBe(401);
        expect(wrong.headers.get('X-Subject-Token')).toBeNull();
      });

      it('refuses a token from the moment of its revocation', async () => {
        const session = await Session.logIn(api.url, 'admin', api.password, 'admin');
        expect(await session.list('networks', '?limit=1')).toBeInstanceOf(Array);
        const revoked = await admin.send('DELETE', '/identity/v3/auth/tokens', undefined, {
          'X-Subject-Token': session.token,
        });
        expect(revoked.status).toBe(204);
        await until(
          'the token is refused',
          async () => (await session.send('GET', '/v2.0/networks')).status === 401,
          5000,
        );
      });

      it('lists its resources and extensions', async () => {
        const root = await admin.send('GET', '/v2.0/');
        const resources = root.body['resources'] as { collection: string; links: { href: string }[] }[];
        const network = resources.find(({ collection }) => collection === 'networks');
        expect(network?.links[0]?.href).toBe(`${api.url}/v2.0/networks`);
        const all = await admin.send('GET', '/v2.0/extensions');
        const aliases = (all.body['extensions'] as { alias: string }[]).map(({ alias }) => alias);
        expect(aliases).toEqual(expect.arrayContaining(['agent', 'binding', 'provider', 'external-net', 'quotas']));
        const one = await admin.send('GET', '/v2.0/extensions/binding');
        expect(one.body['extension']).toMatchObject({ alias: 'binding', name: 'Port Binding' });
        expect((await admin.send('GET', '/v2.0/extensions/none-such')).status).toBe(404);
      });

      it('names each request, and takes up the name of the one that it serves', async () => {
        const first = await admin.send('GET', '/v2.0/networks?limit=1');
        const global = `req-${crypto.randomUUID()}`;
        const second = await admin.send('GET', '/v2.0/networks?limit=1', undefined, {
          'X-Openstack-Request-Id': global,
        });
        const [a, b] = [first, second].map(({ headers }) => headers.get('X-Openstack-Request-Id'));
        expect(a).toMatch(/^req-[0-9a-f-]{36}$/);
        expect(b).toMatch(/^req-[0-9a-f-]{36}$/);
        expect(b).not.toBe(a);
        expect(b).not.toBe(global);
      });
    });

    describe('of networks, subnets and ports', () => {
      it('creates, shows, lists, changes and deletes them', async () => {
        const { network, subnet } = await lan(admin);
        expect(network).toMatchObject({ status: 'ACTIVE', admin_state_up: true, shared: false, subnets: [] });
        expect(network.id).toMatch(UUID);
        expect(subnet).toMatchObject({
          network_id: network.id,
          gateway_ip: '10.0.0.1',
          enable_dhcp: true,
          allocation_pools: [{ start: '10.0.0.2', end: '10.0.0.254' }],
        });
        const port = await admin.create('ports', { network_id: network.id, name: 'p1' });
        expect(port).toMatchObject({ network_id: network.id, status: 'DOWN', revision_number: expect.any(Number) });
        expect(port['mac_address']).toMatch(/^fa:16:3e(:[0-9a-f]{2}){3}$/);
        expect(port['fixed_ips']).toEqual([
          { subnet_id: subnet.id, ip_address: expect.stringMatching(/^10\.0\.0\.\d+$/) },
        ]);

        expect(await admin.show('ports', port.id)).toEqual(port);
        expect(await admin.show('networks', network.id)).toMatchObject({ subnets: [subnet.id] });
        expect(await admin.list('ports', `?network_id=${network.id}`)).toEqual([port]);

        const renamed = await admin.update('ports', port.id, { name: 'p2', admin_state_up: false });
        expect(renamed).toMatchObject({ id: port.id, name: 'p2', admin_state_up: false, fixed_ips: port['fixed_ips'] });
        expect(renamed['revision_number']).toBeGreaterThan(port['revision_number'] as number);

        await admin.remove('ports', port.id);
        expect(await admin.fault('GET', `/v2.0/ports/${port.id}`)).toMatchObject({ status: 404, type: 'PortNotFound' });
        await admin.remove('subnets', subnet.id);
        await admin.remove('networks', network.id);
        expect(await admin.list('networks', `?id=${network.id}`)).toEqual([]);
      });

      it('filters, sorts, pages and reads only the fields asked for', async () => {
        const mark = crypto.randomUUID();
        await admin.createMany(
          'networks',
          ['c', 'a', 'e', 'b', 'd'].map((name) => ({ name, description: mark, admin_state_up: name !== 'e' })),
        );
        const ours = `?description=${mark}&sort_key=name&sort_dir=asc`;
        expect(names(await admin.list('networks', ours))).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(names(await admin.list('networks', `${ours}&name=b&name=d`))).toEqual(['b', 'd']);
        expect(names(await admin.list('networks', `${ours}&admin_state_up=false`))).toEqual(['e']);
        expect(await admin.list('networks', `${ours}&name=c&fields=name&fields=mtu`)).toEqual([
          { name: 'c', mtu: expect.any(Number) },
        ]);

        const pages: unknown[][] = [];
        let path: string | undefined = `/v2.0/networks${ours}&limit=2`;
        while (path !== undefined) {
          const { status, body } = await admin.send('GET', path);
          expect(status).toBe(200);
          pages.push(names(body['networks'] as readonly Row[]));
          const links = (body['networks_links'] ?? []) as { rel: string; href: string }[];
          path = links.find(({ rel }) => rel === 'next')?.href;
        }
        expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      });

      it('creates many at once, or none of them', async () => {
        const { network } = await lan(admin);
        const port = (name: string, more = {}) => ({ network_id: network.id, name, ...more });
        const made = await admin.createMany('ports', [port('m1'), port('m2'), port('m3')]);
        expect(names(made)).toEqual(['m1', 'm2', 'm3']);
        expect(new Set(made.flatMap(addresses)).size).toBe(3);
        const taken = addresses(made[0]!)[0];
        const ports = [port('m4'), port('m5', { fixed_ips: [{ ip_address: taken }] })];
        expect(await admin.fault('POST', '/v2.0/ports', { ports })).toMatchObject({ status: 409 });
        expect(await admin.list('ports', `?network_id=${network.id}`)).toHaveLength(3);
      });

      it('gives ports that are created at the same time addresses of their own', async () => {
        const { network } = await lan(admin, '10.9.0.0/27');
        const made = await Promise.all(
          Array.from({ length: 20 }, () => admin.create('ports', { network_id: network.id })),
        );
        const given = made.flatMap(addresses);
        expect(given).toHaveLength(20);
        expect(new Set(given).size).toBe(20);
        expect(new Set(made.map((port) => port['mac_address'])).size).toBe(20);
      });
    });

    describe('of what cannot be', () => {
      it('says that there is no such thing', async () => {
        expect(await admin.fault('GET', `/v2.0/networks/${ABSENT}`)).toEqual({
          status: 404,
          type: 'NetworkNotFound',
          message: `Network ${ABSENT} could not be found.`,
        });
        expect(await admin.fault('GET', '/v2.0/none-such')).toMatchObject({ status: 404, type: 'HTTPNotFound' });
        expect((await admin.send('GET', '/none-such')).status).toBe(404);
      });

      it('says that a method does not go with a path', async () => {
        expect((await admin.send('PATCH', '/v2.0/networks')).status).toBe(405);
        expect((await admin.send('POST', `/v2.0/networks/${ABSENT}`, { network: {} })).status).toBe(405);
      });

      it('says what is wrong with a body', async () => {
        const post = (body: unknown) => admin.fault('POST', '/v2.0/networks', body);
        expect(await post('{"network": ')).toMatchObject({ status: 400 });
        expect(await post({ network: { name: 7 } })).toMatchObject({ status: 400, type: 'HTTPBadRequest' });
        expect(await post({ network: { colour: 'red' } })).toEqual({
          status: 400,
          type: 'HTTPBadRequest',
          message: "Unrecognized attribute(s) 'colour'",
        });
        const subnet = { network_id: ABSENT, ip_version: 4, cidr: '10.0.0.0/33' };
        expect(await admin.fault('POST', '/v2.0/subnets', { subnet })).toMatchObject({ status: 400 });
      });

      it('says what stands against it', async () => {
        const { network, subnet } = await lan(admin);
        const port = await admin.create('ports', { network_id: network.id });
        expect(await admin.fault('DELETE', `/v2.0/networks/${network.id}`)).toMatchObject({
          status: 409,
          type: 'NetworkInUse',
        });
        const fixed_ips = [{ subnet_id: subnet.id, ip_address: addresses(port)[0] }];
        const again = { port: { network_id: network.id, fixed_ips } };
        expect(await admin.fault('POST', '/v2.0/ports', again)).toMatchObject({
          status: 409,
          type: 'IpAddressAlreadyAllocated',
        });
      });
    });

    it('shows a tenant what is its own and nothing else', async () => {
      const [one, other] = [
        await admin.tenant(`one ${crypto.randomUUID()}`),
        await admin.tenant(`two ${crypto.randomUUID()}`),
      ];
      const { network } = await lan(one);
      expect(await one.list('networks')).toHaveLength(1);
      expect(await other.list('networks')).toEqual([]);
      expect(await other.fault('GET', `/v2.0/networks/${network.id}`)).toMatchObject({ status: 404 });
      expect(await other.fault('DELETE', `/v2.0/networks/${network.id}`)).toMatchObject({ status: 404 });
      const intruder = { port: { network_id: network.id } };
      expect(await other.fault('POST', '/v2.0/ports', intruder)).toMatchObject({ status: 404 });
      expect(await one.fault('POST', '/v2.0/networks', { network: { shared: true } })).toMatchObject({ status: 403 });
      expect(network['provider:network_type']).toBeUndefined();
      expect(await admin.show('networks', network.id)).toHaveProperty('provider:network_type');
    });

    it('tells agents of what was changed', async () => {
      const { network } = await lan(admin);
      const port = await admin.create('ports', { network_id: network.id, 'binding:host_id': 'compute-1' });
      const about = (id: unknown) => api.heard().filter(({ args }) => JSON.stringify(args).includes(String(id)));
      const heard = (what: string, id: unknown, method: string, args: object) =>
        until(what, async () =>
          about(id).some((message) => {
            if (message.method !== method) return false;
            const told = JSON.stringify(message.args);
            return Object.entries(args).every(([key, value]) =>
              told.includes(`${JSON.stringify(key)}:${JSON.stringify(value)}`),
            );
          }),
        );
      await admin.update('ports', port.id, { admin_state_up: false });
      await heard('its host has the port as it is', port.id, 'push', { id: port.id, admin_state_up: false });
      await admin.remove('ports', port.id);
      await heard('its host knows that the port is gone', port.id, 'port_delete', { port_id: port.id });
      await heard('so do those that follow ports', port.id, 'push', { event_type: 'deleted' });
      await admin.remove('networks', network.id);
      await heard('all know that the network is gone', network.id, 'network_delete', { network_id: network.id });
    });
  });
}
