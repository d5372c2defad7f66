import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { member } from '../support/stack.ts';
import { admin, DvrCloud } from './support.ts';

const alice = member('alice');

describe('distributed routers', () => {
  let cloud: DvrCloud;

  beforeAll(async () => {
    cloud = await DvrCloud.start('dvr_routers');
  });
  afterAll(() => cloud.stop());
  beforeEach(() => cloud.clear());

  it('are made so by administrators, who alone see it', async () => {
    const router = await cloud.router({ project_id: 'alice' });
    expect(router.distributed).toBe(true);
    expect((await cloud.stack.create('router', {})).distributed).toBe(false);
    expect((await cloud.l3.show('router', router.id, admin)).distributed).toBe(true);
    expect(await cloud.l3.show('router', router.id, alice)).not.toHaveProperty('distributed');
    expect(await cloud.l3.refusal('POST', 'routers', { router: { distributed: true } }, alice)).toBe(
      '403 PolicyNotAuthorized',
    );
    expect(await cloud.l3.refusal('PUT', `routers/${router.id}`, { router: { distributed: false } }, alice)).toBe(
      '403 PolicyNotAuthorized',
    );
  });

  it('leave an attribute alone that is null, and refuse one that is no boolean', async () => {
    const router = await cloud.router();
    expect((await cloud.change('router', router, { distributed: null, name: 'r' })).distributed).toBe(true);
    expect(await cloud.refusal('PUT', `routers/${router.id}`, { router: { distributed: 'perhaps' } })).toBe(
      '400 InvalidInput',
    );
  });

  it('have interfaces of their own kind, by subnet and by port', async () => {
    const [one, two] = [await cloud.lan(), await cloud.lan()];
    const router = await cloud.router();
    await cloud.add(router, { subnet_id: one.sub.id });
    const port = await cloud.stack.create('port', { network_id: two.net.id });
    await cloud.add(router, { port_id: port.id });
    const ports = await cloud.portsOf(router.id, 'router_interface_distributed');
    expect(ports.map(({ network_id }) => network_id).toSorted()).toEqual([one.net.id, two.net.id].toSorted());
    await cloud.remove(router, { subnet_id: one.sub.id });
    await cloud.remove(router, { port_id: port.id });
    expect(await cloud.l3.portsOf(router.id)).toEqual([]);
    await cloud.delete('routers', router);
  });
});

describe('options of distributed routers', () => {
  it('router_distributed makes routers distributed of which nobody has said', async () => {
    const cloud = await DvrCloud.start('dvr_default', { DEFAULT: { router_distributed: true } });
    try {
      const router = await cloud.stack.create('router', {}, alice);
      expect((await cloud.l3.show('router', router.id, admin)).distributed).toBe(true);
      expect((await cloud.stack.create('router', { distributed: false })).distributed).toBe(false);
    } finally {
      await cloud.stop();
    }
  });

  it('enable_dvr = false takes the extension away', async () => {
    const cloud = await DvrCloud.start('dvr_disabled', { DEFAULT: { enable_dvr: false, router_distributed: true } });
    try {
      const { extensions } = await cloud.l3.done('GET', 'extensions', undefined, admin);
      const aliases = extensions.map(({ alias }: { alias: string }) => alias);
      expect(aliases).toContain('router');
      expect(aliases).not.toContain('dvr');
      expect(aliases).not.toContain('router-admin-state-down-before-update');
      const router = await cloud.stack.create('router', {});
      expect(router).not.toHaveProperty('distributed');
      expect(await cloud.refusal('POST', 'routers', { router: { distributed: true } })).toBe('400 HTTPBadRequest');
      const [row] = await cloud.sql`select distributed from routers where id = ${router.id}`;
      expect(row?.['distributed']).toBe(false);
    } finally {
      await cloud.stop();
    }
  });
});
