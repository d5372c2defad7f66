/**
 * A plugin for the tests of the API: boxes in memory, with everything that a definition can say. The API knows no resource
 * by name, so any will do.
 */
import { ATTR_NOT_SPECIFIED, type AttributeMap } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Filter, ListQuery } from '#src/lib/api/query.ts';
import type { Context } from '#src/lib/context.ts';
import { defineError, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import type { Call, Plugin, Resource, Verb } from '#src/lib/plugin.ts';

export const BoxNotFound = defineError('BoxNotFound', 404, (id: string) => `Box ${id} could not be found.`);
export const ThingNotFound = defineError('ThingNotFound', 404, (id: string) => `Thing ${id} could not be found.`);
export const BoxInUse = defineError('BoxInUse', 409, (id: string) => `Box ${id} is in use.`);

const id = {
  allow_post: false,
  allow_put: false,
  is_visible: true,
  is_filter: true,
  is_sort_key: true,
  primary_key: true,
};
const name = {
  allow_post: true,
  allow_put: true,
  default: '',
  validate: { 'type:string': 255 },
  is_visible: true,
  is_filter: true,
  is_sort_key: true,
} as const;
const tenant_id = {
  allow_post: true,
  allow_put: false,
  validate: { 'type:string': 255 },
  required_by_policy: true,
  is_visible: true,
  is_filter: true,
} as const;
const stamp = { allow_post: false, allow_put: false, is_visible: true } as const;

const boxAttributes: AttributeMap = {
  id,
  name,
  tenant_id,
  admin_state_up: {
    allow_post: true,
    allow_put: true,
    default: true,
    convert_to: 'convert_to_boolean',
    is_visible: true,
    is_filter: true,
    is_sort_key: true,
  },
  status: { ...stamp, is_filter: true, is_sort_key: true },
  shared: {
    allow_post: true,
    allow_put: true,
    default: false,
    convert_to: 'convert_to_boolean',
    is_visible: true,
    is_filter: true,
    required_by_policy: true,
    enforce_policy: true,
  },
  secret: {
    allow_post: true,
    allow_put: true,
    default: ATTR_NOT_SPECIFIED,
    validate: { 'type:string_or_none': 255 },
    is_visible: true,
    enforce_policy: true,
  },
  lids: {
    allow_post: true,
    allow_put: true,
    default: [],
    convert_list_to: 'convert_kvp_list_to_dict',
    is_visible: true,
    is_filter: true,
    enforce_policy: true,
  },
  internal: stamp.is_visible ? { ...stamp, is_visible: false } : stamp,
  revision_number: { ...stamp, is_filter: true, is_sort_key: true },
  updated_at: stamp,
};

const boxes: ResourceDefinition = {
  collection: 'boxes',
  member: 'box',
  attributes: boxAttributes,
  operations: ['list', 'show', 'create', 'update', 'delete'],
  bulk: true,
};

/** What is in a box: owned by whom it is, but the box's owner sees it too. */
const things: ResourceDefinition = {
  collection: 'wooden_things',
  member: 'wooden_thing',
  attributes: {
    id,
    name,
    tenant_id,
    box_id: {
      allow_post: true,
      allow_put: false,
      validate: { 'type:uuid': null },
      is_visible: true,
      is_filter: true,
      required_by_policy: true,
    },
  },
  operations: ['list', 'show', 'create', 'delete'],
  quota: false,
};

export const extensions: readonly ExtensionDefinition[] = [
  {
    alias: 'things',
    name: 'Things',
    description: 'What is in boxes',
    updated: '2026-01-01T00:00:00-00:00',
    resources: [things],
    required_extensions: ['filter-validation'],
  },
  {
    alias: 'filter-validation',
    name: 'Filter validation',
    description: 'Unknown filters are refused',
    updated: '2026-01-01T00:00:00-00:00',
  },
  {
    alias: 'sort-key-validation',
    name: 'Sort key validation',
    description: 'Unknown sort keys are refused',
    updated: '2026-01-01T00:00:00-00:00',
  },
  {
    alias: 'empty-string-filtering',
    name: 'Empty string filtering',
    description: 'Finds empty strings',
    updated: '2026-01-01T00:00:00-00:00',
  },
  {
    alias: 'box-colour',
    name: 'Colours of boxes',
    description: 'An attribute on a resource of another extension',
    updated: '2026-01-01T00:00:00-00:00',
    attributes: {
      boxes: {
        'paint:colour': { allow_post: true, allow_put: true, default: 'none', is_visible: true, is_filter: true },
        tags: { allow_post: false, allow_put: false, is_visible: true },
      },
    },
    member_actions: { boxes: { spin_box: { method: 'PUT' } } },
  },
  {
    alias: 'box-actions',
    name: 'Actions and what stands below',
    description: '',
    updated: '2026-01-01T00:00:00-00:00',
    resources: [
      {
        collection: 'hinges',
        member: 'hinge',
        parent: { collection: 'boxes', member: 'box' },
        attributes: { id, name, tenant_id: { ...tenant_id, default: ATTR_NOT_SPECIFIED } },
        operations: ['list', 'show', 'create', 'update', 'delete'],
        quota: false,
      },
      {
        collection: 'labels',
        member: 'label',
        parent: { collection: 'boxes', member: 'box' },
        attributes: {},
        operations: ['list', 'show', 'update', 'delete', 'update_all', 'delete_all'],
        statuses: { show: 204, update: 201 },
        raw: true,
        quota: false,
      },
      {
        collection: 'orders',
        member: 'order',
        path_prefix: '/shop',
        attributes: { id, name, tenant_id },
        operations: ['list', 'show'],
        collection_actions: { summary: { method: 'GET', verb: 'get_order_summary' } },
        member_actions: { total: { method: 'GET', verb: 'get_order_total' } },
        denial: 'forbidden',
        quota: false,
      },
    ],
  },
];

export interface Example {
  readonly plugin: Plugin;
  readonly boxes: Map<string, Resource>;
  readonly things: Map<string, Resource>;
  /** Verbs as they were called, oldest first. */
  readonly calls: { readonly verb: string; readonly context: Context; readonly call: Call }[];
}

function matches(item: Resource, filter: Filter): boolean {
  const value = item[filter.attribute === 'project_id' ? 'tenant_id' : filter.attribute];
  if (filter.key === undefined) return filter.values.some((wanted) => wanted === value);
  const entries = value as readonly Resource[];
  return entries.some((entry) =>
    filter.values.some((wanted) =>
      filter.operator === 'substring'
        ? String(entry[filter.key!]).includes(String(wanted))
        : entry[filter.key!] === wanted,
    ),
  );
}

function page(all: Iterable<Resource>, query: ListQuery, notFound: (id: string) => Error) {
  let items = [...all].filter((item) => query.filters.every((filter) => matches(item, filter)));
  items.sort((a, b) => {
    for (const { attribute, direction } of query.sorts) {
      const left = String(a[attribute]);
      const right = String(b[attribute]);
      if (left !== right) return (left < right ? -1 : 1) * (direction === 'asc' ? 1 : -1);
    }
    return 0;
  });
  if (query.reverse) items.reverse();
  if (query.marker !== undefined) {
    const at = items.findIndex((item) => item['id'] === query.marker);
    if (at < 0) throw notFound(query.marker);
    items = items.slice(at + 1);
  }
  const more = query.limit !== undefined && items.length > query.limit;
  items = items.slice(0, query.limit);
  if (query.reverse) items.reverse();
  return { items, more };
}

/** A fresh plugin with nothing in it. */
export function createExample(): Example {
  const boxes_ = new Map<string, Resource>();
  const things_ = new Map<string, Resource>();
  const labels = new Map<string, Set<string>>();
  const calls: Example['calls'] = [];

  const boxOf = (context: Context, wanted: string): Resource => {
    const box = boxes_.get(wanted);
    const seen = box !== undefined && (context.is_admin || box['tenant_id'] === context.project_id || box['shared']);
    if (!seen) throw new BoxNotFound(wanted);
    return box;
  };
  const newBox = (body: Resource): Resource => {
    const box = {
      internal: 'x',
      status: 'ACTIVE',
      revision_number: 0,
      updated_at: null,
      tags: [],
      ...body,
      id: crypto.randomUUID(),
    };
    boxes_.set(box.id, box);
    return box;
  };
  const thingOf = (wanted: string): Resource => {
    const thing = things_.get(wanted);
    if (thing === undefined) throw new ThingNotFound(wanted);
    return thing;
  };
  const labelsOf = (box: string) => labels.get(box) ?? new Set<string>();

  const verbs: Record<string, Verb> = {
    create_box: async (_, { body }) => {
      if (body!['name'] === 'conflict') throw new BoxInUse('new');
      if (body!['name'] === 'defect') throw new TypeError('the password is hunter2');
      return newBox(body!);
    },
    create_box_bulk: async (_, { bodies }) => bodies!.map(newBox),
    get_box: async (context, call) => boxOf(context, call.id!),
    get_boxes: async (context, { query }) =>
      page(
        [...boxes_.values()].filter(
          (box) => context.is_admin || box['tenant_id'] === context.project_id || box['shared'],
        ),
        query!,
        (marker) => new BoxNotFound(marker),
      ),
    update_box: async (context, call) => {
      const box = boxOf(context, call.id!);
      if (call.if_match !== undefined && call.if_match !== box['revision_number']) {
        throw new RevisionNumberConstraintFailed(
          `Constrained to ${call.if_match}, but current revision is ${box['revision_number']}`,
        );
      }
      const changed = { ...box, ...call.body, revision_number: Number(box['revision_number']) + 1 };
      boxes_.set(call.id!, changed);
      return changed;
    },
    delete_box: async (context, call) => {
      boxOf(context, call.id!);
      boxes_.delete(call.id!);
    },
    spin_box: async (_, call) => ({ spun: call.id, body: call.body }),

    create_wooden_thing: async (_, { body }) => {
      if (body!['name'] === 'conflict') throw new BoxInUse('new');
      const thing = { ...body, id: crypto.randomUUID() };
      things_.set(thing.id, thing);
      return thing;
    },
    get_wooden_thing: async (_, call) => thingOf(call.id!),
    get_wooden_things: async (_, { query }) => page(things_.values(), query!, (marker) => new ThingNotFound(marker)),
    delete_wooden_thing: async (_, call) => {
      things_.delete(call.id!);
    },

    create_box_hinge: async (_, { body, parents }) => ({ id: crypto.randomUUID(), ...body, of: parents['box'] }),
    get_box_hinge: async ({ project_id }, { id: hinge }) => ({ id: hinge, name: 'hinge', project_id }),
    get_box_hinges: async ({ project_id }) => ({
      items: [{ id: crypto.randomUUID(), name: 'hinge', project_id }],
      more: false,
    }),
    update_box_hinge: async ({ project_id }, { id: hinge, body }) => ({
      id: hinge,
      name: 'hinge',
      project_id,
      ...body,
    }),
    delete_box_hinge: async () => undefined,

    get_box_labels: async (context, { parents }) => {
      boxOf(context, parents['box']!);
      return { labels: [...labelsOf(parents['box']!)] };
    },
    get_box_label: async () => undefined,
    update_box_label: async (_, { parents, id: label }) => {
      labels.set(parents['box']!, new Set([...labelsOf(parents['box']!), label!]));
    },
    delete_box_label: async (_, { parents, id: label }) => {
      labelsOf(parents['box']!).delete(label!);
    },
    update_box_labels: async (_, { parents, body }) => {
      labels.set(parents['box']!, new Set(body!['labels'] as string[]));
      return body;
    },
    delete_box_labels: async (_, { parents }) => {
      labels.delete(parents['box']!);
    },

    get_order: async (_, { id: order }) => ({ id: order, name: 'an order', tenant_id: 'p1' }),
    get_orders: async () => ({ items: [{ id: 'o1', name: 'an order', tenant_id: 'p1' }], more: false }),
    get_order_summary: async (context) => ({ summary: { project: context.project_id } }),
    get_order_total: async (_, { id: order }) => ({ total: { order, sum: 1 } }),
  };
  const recorded = Object.fromEntries(
    Object.entries(verbs).map(([verb, run]): [string, Verb] => [
      verb,
      async (context, call) => {
        calls.push({ verb, context, call });
        return run(context, call);
      },
    ]),
  );
  const plugin: Plugin = {
    type: 'EXAMPLE',
    resources: [boxes],
    extensions,
    verbs: recorded,
    quotas: [{ name: 'box', default_limit: 3, table: 'boxes' }],
  };
  return { plugin, boxes: boxes_, things: things_, calls };
}
