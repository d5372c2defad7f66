/** Flavors, which all readers see and administrators make, and what is behind them. */
import { type Area, everybody, only } from './area.ts';

const PROFILES = 'flavors/{parent}/service_profiles';
const nobody = { none: 404, service: 404 } as const;

export const flavors: Area = {
  routes: {
    'GET flavors': { ...everybody('sees'), none: 'hidden', service: 'hidden' },
    'POST flavors': only(201, 403),
    'GET flavors/{id}': { ...everybody(200), ...nobody },
    'PUT flavors/{id}': { ...only(200, 403), ...nobody },
    'DELETE flavors/{id}': { ...only(204, 403), ...nobody },
    'GET service_profiles': only('sees', 'hidden'),
    'POST service_profiles': only(201, 403),
    'GET service_profiles/{id}': only(200, 404),
    'PUT service_profiles/{id}': only(200, 404),
    'DELETE service_profiles/{id}': only(204, 404),
    [`POST ${PROFILES}`]: only(201, 403),
    'GET service_providers': { ...everybody('sees'), none: 'hidden', service: 'hidden' },
  },
  async furnish(stack) {
    const flavor = await stack.create('flavor', { name: 'gold', service_type: 'L3_ROUTER_NAT' });
    const profile = await stack.create('service_profile', { metainfo: 'x' });
    return {
      ids: { flavors: flavor.id, service_profiles: profile.id, service_providers: 'dvr' },
      bodies: {
        'POST flavors': { flavor: { name: 'new', service_type: 'L3_ROUTER_NAT' } },
        'PUT flavors/{id}': { flavor: { name: 'new' } },
        'POST service_profiles': { service_profile: { metainfo: 'new' } },
        'PUT service_profiles/{id}': { service_profile: { description: 'new' } },
        [`POST ${PROFILES}`]: { service_profile: { id: profile.id } },
      },
    };
  },
};

/** Of a flavor that has a profile. */
export const flavorProfiles: Area = {
  routes: {
    [`GET ${PROFILES}/{id}`]: only(200, 404),
    [`DELETE ${PROFILES}/{id}`]: only(204, 404),
  },
  async furnish(stack) {
    const flavor = await stack.create('flavor', { name: 'gold', service_type: 'L3_ROUTER_NAT' });
    const profile = await stack.create('service_profile', { metainfo: 'x' });
    const body = { service_profile: { id: profile.id } };
    await stack.call('POST', `/v2.0/flavors/${flavor.id}/service_profiles`, { body });
    return { ids: { flavors: flavor.id, service_profiles: profile.id }, bodies: {} };
  },
};
