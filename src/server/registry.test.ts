/** From configured names to plugins. */
import { describe, expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import type { Logger } from '#src/lib/log.ts';
import { silentLogger } from '#src/lib/log.ts';
import { loadModules } from './registry.ts';

function load(names: Readonly<Record<string, string | readonly string[]>>) {
  const warned: unknown[] = [];
  const log: Logger = { ...silentLogger, warn: (_message, fields) => warned.push(fields?.['plugin']) };
  const config = configFrom(allOptions, { DEFAULT: names });
  return loadModules({ config, log }).then((modules) => ({ names: modules.map(({ name }) => name), warned }));
}

describe('loadModules()', () => {
  it('takes the core plugin by its short name and by its Python class', async () => {
    expect((await load({ core_plugin: 'ml2' })).names[0]).toBe('ml2');
    expect((await load({ core_plugin: 'neutron.plugins.ml2.plugin.Ml2Plugin' })).names[0]).toBe('ml2');
    // All of them are imported here for the first time.
  }, 30_000);

  it('takes what belongs to every core plugin without being told, and once if it is', async () => {
    const { names } = await load({ core_plugin: 'ml2' });
    expect(names).toEqual(expect.arrayContaining(['rbac', 'tag']));
    expect(await load({ core_plugin: 'ml2', service_plugins: ['tag'] })).toEqual({ names, warned: [] });
  });

  it('goes on without the plugins of Neutron that this release lacks, and says which', async () => {
    const bgp = 'neutron.services.bgp.plugin.BGPServicePlugin';
    const loaded = await load({
      core_plugin: 'ml2',
      service_plugins: ['qos', 'ovn-router', bgp, 'revisions', 'timestamp'],
    });
    const { names } = await load({ core_plugin: 'ml2' });
    expect(loaded).toEqual({ names, warned: ['qos', 'ovn-router', bgp] });
  });

  it('refuses a name that nobody knows, with the nearest', async () => {
    await expect(load({ core_plugin: 'ml3' })).rejects.toThrow("core_plugin 'ml3' is unknown, did you mean 'ml2'?");
  });

  it('says that a module of somebody else cannot be loaded, or is none', async () => {
    await expect(load({ core_plugin: '/nowhere/plugin.ts' })).rejects.toThrow("'/nowhere/plugin.ts' cannot be loaded");
    const here = decodeURIComponent(new URL(import.meta.resolve('./errors.ts')).pathname);
    await expect(load({ core_plugin: here })).rejects.toThrow('no default export with a create(host) function');
  });
});
