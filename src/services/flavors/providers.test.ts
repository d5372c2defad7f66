/** Providers as configurations name them. */
import { expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { silentLogger } from '#src/lib/log.ts';
import { serviceProviders } from './providers.ts';

const PATH = 'neutron.services.l3_router.service_providers';
const [HA, DVR] = [`${PATH}.ha.HaDriver`, `${PATH}.dvr.DvrDriver`];

const of = (...service_provider: readonly string[]) =>
  serviceProviders(configFrom(allOptions, { service_providers: { service_provider } }), silentLogger);

it('serviceProviders() gives those that are always there', () => {
  expect(of().map(({ name }) => name)).toEqual(['dvrha', 'dvr', 'ha', 'single_node']);
});

it.each([
  ['a name twice', [`L3_ROUTER_NAT:a:${HA}`, `L3_ROUTER_NAT:a:${DVR}`]],
  ['a driver twice', [`L3_ROUTER_NAT:a:${HA}`, `L3_ROUTER_NAT:b:${HA}`]],
  ['two defaults', [`L3_ROUTER_NAT:a:${HA}:default`, `L3_ROUTER_NAT:b:${DVR}:default`]],
  ['too few words', ['L3_ROUTER_NAT:a']],
  ['too many words', [`L3_ROUTER_NAT:a:${HA}:default:x`]],
  ['another last word', [`L3_ROUTER_NAT:a:${HA}:best`]],
  ['a long name', [`L3_ROUTER_NAT:${'a'.repeat(256)}:${HA}`]],
])('serviceProviders() refuses %s', (_, texts) => {
  expect(() => of(...texts)).toThrow('[service_providers] service_provider');
});
