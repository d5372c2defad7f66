/** Conntrack helpers: they belong to who has the router. */
import { type Area, members, readers } from './area.ts';

const HELPERS = 'routers/{parent}/conntrack_helpers';

export const conntrackHelpers: Area = {
  routes: {
    [`GET ${HELPERS}`]: { ...readers('sees', 'hidden'), service: 'hidden', stranger: 404 },
    [`POST ${HELPERS}`]: { ...members(201), none: 403, service: 403 },
    [`GET ${HELPERS}/{id}`]: { ...readers(200, 404), service: 404 },
    [`PUT ${HELPERS}/{id}`]: members(200, 404),
    [`DELETE ${HELPERS}/{id}`]: members(204, 404),
  },
  async furnish(stack) {
    const router = await stack.create('router', { project_id: 'alice' });
    const helper = { protocol: 'udp', port: 69, helper: 'tftp' };
    const path = `/v2.0/routers/${router.id}/conntrack_helpers`;
    const made = await stack.call('POST', path, { body: { conntrack_helper: helper } });
    return {
      ids: { routers: router.id, conntrack_helpers: made.body.conntrack_helper.id },
      bodies: {
        [`POST ${HELPERS}`]: { conntrack_helper: { ...helper, port: 70 } },
        [`PUT ${HELPERS}/{id}`]: { conntrack_helper: { port: 71 } },
      },
    };
  },
};
