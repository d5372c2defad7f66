import { describe, expect, it } from 'vitest';
import { ApiSetupError } from '#src/api/mod.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import { createExample } from './support/example_plugin.ts';
import { createHarness } from './support/harness.ts';

const extension = (alias: string, more: Partial<ExtensionDefinition> = {}): ExtensionDefinition => ({
  alias,
  name: alias,
  description: '',
  updated: '',
  ...more,
});
const resource = (collection: string, more: Partial<ResourceDefinition> = {}): ResourceDefinition => ({
  collection,
  member: collection.slice(0, -1),
  attributes: {},
  operations: ['list'],
  ...more,
});
const plugin = (type: string, more: Partial<Plugin>): Plugin => ({ type, extensions: [], verbs: {}, ...more });
const start = (...plugins: Plugin[]) => createHarness({ options: { plugins } });
const verb = async () => ({ items: [], more: false });

describe('createApp() refuses to start', () => {
  it.each<[string, Plugin[], string]>([
    [
      'without a verb',
      [plugin('DOORS', { resources: [resource('doors')] })],
      "plugin 'DOORS' has no verb 'get_doors', which the resource 'doors' needs for 'list'",
    ],
    [
      "without a sub-resource's verb",
      [
        plugin('DOORS', {
          resources: [
            resource('doors'),
            resource('locks', { parent: { collection: 'doors', member: 'door' }, operations: ['create'] }),
          ],
          verbs: { get_doors: verb },
        }),
      ],
      "has no verb 'create_door_lock', which the resource 'locks' needs for 'create'",
    ],
    [
      'without a bulk verb',
      [plugin('DOORS', { resources: [resource('doors', { bulk: true })], verbs: { get_doors: verb } })],
      "has no verb 'create_door_bulk'",
    ],
    [
      "without an action's verb",
      [
        plugin('DOORS', {
          resources: [resource('doors', { member_actions: { open: { method: 'PUT' } } })],
          verbs: { get_doors: verb },
        }),
      ],
      "has no verb 'open', which the resource 'doors' needs for the action 'open'",
    ],
    [
      'without a required extension',
      [plugin('DOORS', { extensions: [extension('lock', { required_extensions: ['key'] })] })],
      "Extensions not found: 'key', which 'lock' of plugin 'DOORS' requires",
    ],
    [
      'with one alias for two extensions',
      [plugin('DOORS', { extensions: [extension('lock')] }), plugin('BARS', { extensions: [extension('lock')] })],
      "the extension alias 'lock' is declared by plugin 'DOORS' and, differently, by plugin 'BARS'",
    ],
    [
      'with two resources on one route',
      [
        plugin('DOORS', { resources: [resource('front_doors')], verbs: { get_front_doors: verb } }),
        plugin('BARS', { resources: [resource('front-doors')], verbs: { 'get_front-doors': verb } }),
      ],
      "the route /v2.0/front-doors is declared by plugin 'DOORS' and by plugin 'BARS'",
    ],
    [
      'below a resource that nobody serves',
      [
        plugin('LOCKS', {
          resources: [resource('locks', { parent: { collection: 'doors', member: 'door' } })],
          verbs: { get_door_locks: verb },
        }),
      ],
      "the resource 'locks' of plugin 'LOCKS' stands below 'doors', which no loaded plugin serves",
    ],
  ])('%s', (_, plugins, message) => {
    expect(() => start(...plugins)).toThrow(ApiSetupError);
    expect(() => start(...plugins)).toThrow(message);
  });
});

describe('several plugins', () => {
  it('share one definition of an extension', async () => {
    const shared = extension('shared');
    const harness = start(plugin('A', { extensions: [shared] }), plugin('B', { extensions: [shared] }));
    expect((await harness.call('GET', '/v2.0/extensions')).body.extensions).toHaveLength(1);
  });

  it("add attributes to each other's resources, the later one winning, and actions with their own verbs", async () => {
    const { plugin: example } = createExample();
    const added = (value: string): ExtensionDefinition =>
      extension(`add-${value}`, {
        attributes: { boxes: { size: { allow_post: true, allow_put: true, default: value, is_visible: true } } },
      });
    const later = plugin('LATER', {
      extensions: [added('large'), extension('seal', { member_actions: { boxes: { seal_box: { method: 'PUT' } } } })],
      verbs: { seal_box: async (_, { id }) => ({ sealed: id }) },
    });
    const harness = start(example, plugin('EARLIER', { extensions: [added('small')] }), later);
    const { box } = (await harness.call('POST', '/v2.0/boxes', { body: { box: {} } })).body;
    expect(box.size).toBe('large');
    expect((await harness.call('PUT', `/v2.0/boxes/${box.id}/seal_box`)).body).toEqual({ sealed: box.id });
  });

  it('leave no route and no alias when they are not loaded', async () => {
    const harness = start(plugin('A', { extensions: [] }));
    expect((await harness.call('GET', '/v2.0/boxes')).status).toBe(404);
    expect((await harness.call('GET', '/v2.0/extensions')).body).toEqual({ extensions: [] });
  });
});
