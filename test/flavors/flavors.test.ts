/** Flavors, their service profiles, the providers behind them, and routers of a flavor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Attributes, alice, Cloud, OPTIONS } from '../router/support.ts';
import { admin, Stack, type Who } from '../support/stack.ts';

const DRIVERS = 'neutron.services.l3_router.service_providers';
const SINGLE = `${DRIVERS}.single_node.SingleNodeDriver`;

let stack: Stack;
let cloud: Cloud;
beforeAll(async () => {
  stack = await Stack.start('flavors', {
    ...OPTIONS,
    service_providers: {
      service_provider: [
        `L3_ROUTER_NAT:Metal:${DRIVERS}.ha.HaDriver:default`,
        'L3_ROUTER_NAT:vendor:vendor.router.Driver',
        'VPN:openswan:vendor.vpn.Driver',
      ],
    },
  });
  cloud = new Cloud(stack);
});
afterAll(() => stack.stop());

const flavor = (attributes: object = {}): Promise<Attributes> =>
  stack.create('flavor', { name: 'gold', service_type: 'L3_ROUTER_NAT', ...attributes });
const profile = (attributes: object = {}): Promise<Attributes> =>
  stack.create('service_profile', { driver: SINGLE, ...attributes });
const bind = (to: Attributes, { id }: Attributes) =>
  cloud.done('POST', `flavors/${to.id}/service_profiles`, { service_profile: { id } }, admin);

async function bound(attributes: { flavor?: object; profile?: object } = {}): Promise<Attributes> {
  const made = await flavor(attributes.flavor);
  await bind(made, await profile(attributes.profile));
  return made;
}

describe('flavors', () => {
  it('are made, shown, changed and deleted', async () => {
    const made = await flavor();
    expect(made).toEqual({
      id: expect.any(String),
      name: 'gold',
      description: '',
      service_type: 'L3_ROUTER_NAT',
      enabled: true,
      service_profiles: [],
    });
    expect(await cloud.show('flavor', made.id, alice)).toEqual(made);
    const changes = { name: 'silver', description: null, enabled: false };
    expect(await cloud.change('flavor', made.id, changes, admin)).toEqual({ ...made, ...changes });
    expect((await cloud.done('GET', 'flavors?name=silver', undefined, alice)).flavors.length).toBe(1);
    await cloud.done('DELETE', `flavors/${made.id}`, undefined, admin);
    for (const method of ['GET', 'DELETE']) {
      expect(await cloud.refusal(method, `flavors/${made.id}`, undefined, admin)).toBe('404 FlavorNotFound');
    }
  });

  it('are of a service that there is', async () => {
    const body = { flavor: { name: 'f', service_type: 'foo' } };
    expect(await cloud.refusal('POST', 'flavors', body, admin)).toBe('400 InvalidServiceType');
  });

  it('have profiles, each once', async () => {
    const [made, one] = [await flavor(), await profile()];
    expect(await bind(made, one)).toEqual({ service_profile: { id: one.id } });
    expect((await cloud.show('flavor', made.id)).service_profiles).toEqual([one.id]);
    const below = `flavors/${made.id}/service_profiles`;
    const again = { service_profile: { id: one.id } };
    expect(await cloud.refusal('POST', below, again, admin)).toBe('409 FlavorServiceProfileBindingExists');
    const nothing = { service_profile: { id: crypto.randomUUID() } };
    expect(await cloud.refusal('POST', below, nothing, admin)).toBe('404 ServiceProfileNotFound');
    const nowhere = `flavors/${crypto.randomUUID()}/service_profiles`;
    expect(await cloud.refusal('POST', nowhere, again, admin)).toBe('404 FlavorNotFound');
    expect((await cloud.done('GET', `${below}/${one.id}`, undefined, admin)).service_profile).toEqual({ id: one.id });
    await cloud.done('DELETE', `${below}/${one.id}`, undefined, admin);
    expect(await cloud.refusal('DELETE', `${below}/${one.id}`, undefined, admin)).toBe(
      '404 FlavorServiceProfileBindingNotFound',
    );
    expect((await cloud.show('flavor', made.id)).service_profiles).toEqual([]);
  });

  it('go with what binds them to profiles', async () => {
    const made = await bound();
    const [id] = (await cloud.show('flavor', made.id)).service_profiles;
    await cloud.done('DELETE', `flavors/${made.id}`, undefined, admin);
    await cloud.done('DELETE', `service_profiles/${id}`, undefined, admin);
  });
});

describe('service profiles', () => {
  it('are made, shown, changed and deleted', async () => {
    const made = await stack.create('service_profile', { metainfo: '{"a":1}', description: 'x' });
    expect(made).toEqual({ id: expect.any(String), description: 'x', driver: '', enabled: true, metainfo: '{"a":1}' });
    expect(await cloud.show('service_profile', made.id)).toEqual(made);
    const changed = await cloud.change('service_profile', made.id, { driver: SINGLE, enabled: false }, admin);
    expect(changed).toEqual({ ...made, driver: SINGLE, enabled: false });
    await cloud.done('DELETE', `service_profiles/${made.id}`, undefined, admin);
    expect(await cloud.refusal('GET', `service_profiles/${made.id}`, undefined, admin)).toBe(
      '404 ServiceProfileNotFound',
    );
  });

  it('say something, and name drivers that there are', async () => {
    const make = (attributes: object) =>
      cloud.refusal('POST', 'service_profiles', { service_profile: attributes }, admin);
    expect(await make({})).toBe('400 ServiceProfileEmpty');
    expect(await make({ driver: 'vendor.router.Driver' })).toBe('404 ServiceProfileDriverNotFound');
    const one = await profile();
    const wrong = { service_profile: { driver: 'no.such.Driver' } };
    expect(await cloud.refusal('PUT', `service_profiles/${one.id}`, wrong, admin)).toBe(
      '404 ServiceProfileDriverNotFound',
    );
  });

  it('stay as they are while a flavor has them', async () => {
    const made = await bound();
    const [id] = (await cloud.show('flavor', made.id)).service_profiles;
    const change = { service_profile: { enabled: false } };
    expect(await cloud.refusal('PUT', `service_profiles/${id}`, change, admin)).toBe('409 ServiceProfileInUse');
    expect(await cloud.refusal('DELETE', `service_profiles/${id}`, undefined, admin)).toBe('409 ServiceProfileInUse');
  });
});

describe('service providers', () => {
  it('are those of the configuration, then those that are always there', async () => {
    const { service_providers } = await cloud.done('GET', 'service-providers');
    expect(service_providers).toEqual([
      { service_type: 'L3_ROUTER_NAT', name: 'metal', default: true },
      { service_type: 'L3_ROUTER_NAT', name: 'dvrha', default: false },
      { service_type: 'L3_ROUTER_NAT', name: 'dvr', default: false },
      { service_type: 'L3_ROUTER_NAT', name: 'single_node', default: false },
    ]);
  });

  it('are found by what they show', async () => {
    const names = async (query: string) =>
      (await cloud.done('GET', `service-providers?${query}`)).service_providers.map(({ name }: Attributes) => name);
    expect(await names('default=true')).toEqual(['metal']);
    expect(await names('service_type=VPN')).toEqual([]);
    expect(await names('name=dvr&name=dvrha')).toEqual(['dvrha', 'dvr']);
  });
});

describe('routers of a flavor', () => {
  const make = (attributes: object, as: Who = alice) => cloud.refusal('POST', 'routers', { router: attributes }, as);

  it('show it, and it is in use', async () => {
    const made = await bound();
    const router = await stack.create('router', { flavor_id: made.id }, alice);
    expect(router.flavor_id).toBe(made.id);
    expect((await cloud.router()).flavor_id).toBeNull();
    const change = { router: { flavor_id: made.id } };
    expect((await cloud.ask('PUT', `routers/${router.id}`, change)).status).toBe(400);
    expect(await cloud.refusal('DELETE', `flavors/${made.id}`, undefined, admin)).toBe('409 FlavorInUse');
    await cloud.done('DELETE', `routers/${router.id}`);
    await cloud.done('DELETE', `flavors/${made.id}`, undefined, admin);
  });

  it('need one that there is, that is offered, and that has a provider', async () => {
    expect(await make({ flavor_id: crypto.randomUUID() })).toBe('404 FlavorNotFound');
    expect(await make({ flavor_id: 'gold' })).toBe('404 FlavorNotFound');
    const bare = await flavor();
    expect(await make({ flavor_id: bare.id })).toBe('404 FlavorServiceProfileBindingNotFound');
    const disabled = await bound({ flavor: { enabled: false } });
    expect(await make({ flavor_id: disabled.id })).toBe('503 FlavorDisabled');
    const off = await bound({ profile: { enabled: false } });
    expect(await make({ flavor_id: off.id })).toBe('503 ServiceProfileDisabled');
    const driverless = await bound({ profile: { driver: '', metainfo: 'x' } });
    expect(await make({ flavor_id: driverless.id })).toBe('404 ServiceProfileDriverNotFound');
  });

  it('are what their provider can', async () => {
    const single = await bound();
    const refused = await cloud.ask('POST', 'routers', { router: { flavor_id: single.id, ha: true } }, admin);
    expect(refused.body.NeutronError).toMatchObject({
      type: 'InvalidInput',
      message: 'Invalid input for operation: Provider single_node does not support ha=True.',
    });
    expect(await make({ flavor_id: single.id, distributed: true }, admin)).toBe('400 InvalidInput');
    const router = await stack.create('router', { flavor_id: single.id, ha: false }, admin);
    const down = { router: { admin_state_up: false } };
    await cloud.done('PUT', `routers/${router.id}`, down, admin);
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: { distributed: true } }, admin)).toBe(
      '400 InvalidInput',
    );
    expect(await cloud.change('router', router.id, { name: 'same', distributed: false }, admin)).toMatchObject({
      name: 'same',
    });
  });
});
