/** Tags of whatever carries them. */
import type { Stack } from '../../support/stack.ts';
import { type Area, type Row, readers } from './area.ts';

/** Who does not see the item is told that there is none; who sees it and may not, that it is so. */
const read = (done: number | 'sees'): Row => ({ ...readers(done, 404), none: 403, service: 403 });
const write = (done: number): Row => ({ ...read(done), reader: 403 });

/** How an item of each collection is made for a project. */
const ITEMS: Readonly<Record<string, (stack: Stack, network_id: string) => Promise<{ readonly id: string }>>> = {
  networks: (stack) => stack.create('network', { project_id: 'alice' }),
  subnets: (stack, network_id) =>
    stack.create('subnet', { network_id, project_id: 'alice', ip_version: 4, cidr: '10.0.0.0/24' }),
  ports: (stack, network_id) => stack.create('port', { network_id, project_id: 'alice' }),
  subnetpools: (stack) => stack.create('subnetpool', { name: 'p', project_id: 'alice', prefixes: ['10.0.0.0/8'] }),
  security_groups: (stack) => stack.create('security_group', { name: 'g', project_id: 'alice' }),
  routers: (stack) => stack.create('router', { project_id: 'alice' }),
  async floatingips(stack) {
    const { id } = await stack.create('network', { 'router:external': true });
    await stack.create('subnet', { network_id: id, ip_version: 4, cidr: '172.24.0.0/24' });
    return await stack.create('floatingip', { project_id: 'alice', floating_network_id: id });
  },
};

const routesOf = (collection: string): Area['routes'] => {
  const tags = `${collection}/{parent}/tags`;
  return {
    [`GET ${tags}`]: read('sees'),
    [`POST ${tags}`]: write(200),
    [`PUT ${tags}`]: write(200),
    [`DELETE ${tags}`]: write(204),
    [`GET ${tags}/{id}`]: read(204),
    [`PUT ${tags}/{id}`]: write(201),
    [`DELETE ${tags}/{id}`]: write(204),
  };
};

export const tags: Area = {
  routes: Object.assign({}, ...Object.keys(ITEMS).map(routesOf)),
  async furnish(stack) {
    const network = await stack.create('network', { project_id: 'alice' });
    const ids: Record<string, string> = { tags: 'red' };
    const bodies: Record<string, unknown> = {};
    for (const [collection, make] of Object.entries(ITEMS)) {
      const { id } = await make(stack, network.id);
      ids[collection] = id;
      await stack.call('PUT', `/v2.0/${collection}/${id}/tags/red`);
      for (const method of ['POST', 'PUT']) bodies[`${method} ${collection}/{parent}/tags`] = { tags: ['blue'] };
    }
    return { ids, bodies };
  },
};
