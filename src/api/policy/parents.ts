/**
 * Attributes of parents that policy rules ask for: `network:project_id` of a port, `ext_parent:project_id` of what stands
 * below an item. They are read by the verb of the plugin that owns the parent, with administrator's rights (the caller
 * need not be able to see the parent), at most once per request; a list reads all of its parents with one call.
 */
import { type Context, elevated } from '#src/lib/context.ts';
import { NeutronError } from '#src/lib/errors.ts';
import type { Resource, ResourceList } from '#src/lib/plugin.ts';
import type { Parents, PolicyIndex, PolicyResource } from './subject.ts';

/** `ext_parent:project_id`, taken apart. */
export interface ParentAttribute {
  readonly key: string;
  /** `network`, `ext_parent` */
  readonly parent: string;
  readonly field: string;
}

const EXT_PARENT = 'ext_parent';
/** The owner's names; a plugin knows one or both. */
const OWNER: readonly string[] = ['project_id', 'tenant_id'];

/** Takes `network:project_id` apart at its first colon. */
export function parentAttribute(key: string): ParentAttribute {
  const colon = key.indexOf(':');
  return { key, parent: key.slice(0, colon), field: key.slice(colon + 1) };
}

function missing(error: unknown): boolean {
  return error instanceof NeutronError && error.status === 404;
}

export class ParentReader {
  readonly #index: PolicyIndex;
  readonly #context: Context;
  readonly #read = new Map<string, Promise<Resource | undefined>>();

  constructor(index: PolicyIndex, context: Context) {
    this.#index = index;
    this.#context = context;
  }

  /** Which object the attribute is of: its resource and its id, if the subject names one. */
  locate(
    resource: PolicyResource,
    parents: Parents,
    item: Resource,
    parent: string,
  ): { readonly resource: PolicyResource; readonly id: string; readonly parents: Parents } | undefined {
    if (parent === EXT_PARENT) {
      const id = resource.parent === undefined ? undefined : parents[resource.parent.definition.member];
      return id === undefined ? undefined : { resource: resource.parent!, id, parents };
    }
    const owner = this.#index.byName(parent);
    const id = item[resource.definition.policy_parents?.[parent] ?? `${parent}_id`];
    return owner === undefined || typeof id !== 'string' ? undefined : { resource: owner, id, parents: {} };
  }

  /** Reads one parent, only its owner where no more is asked. Throws its NotFound. */
  read(resource: PolicyResource, id: string, parents: Parents, field: string): Promise<Resource | undefined> {
    const whole = `${resource.name}/${id}`;
    const owner = OWNER.includes(field);
    const key = owner && !this.#read.has(whole) ? `${whole} owner` : whole;
    let reading = this.#read.get(key);
    if (reading === undefined) {
      const call = { id, parents, ...(owner ? { fields: [resource.key, ...OWNER] } : {}) };
      reading = Promise.resolve(resource.reader?.(elevated(this.#context), call) as Promise<Resource> | undefined);
      this.#read.set(key, reading);
    }
    return reading;
  }

  /** Reads many parents of one kind with one call, where the plugin can list them; those not found are simply absent. */
  async prefetch(resource: PolicyResource, ids: Iterable<string>): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#read.has(`${resource.name}/${id}`));
    const list = resource.verbs.list;
    if (wanted.length < 2 || list === undefined) return;
    const page = (await list(elevated(this.#context), {
      parents: {},
      query: {
        filters: [{ attribute: resource.key, operator: 'in', values: wanted }],
        sorts: [{ attribute: resource.key, direction: 'asc' }],
        reverse: false,
      },
    })) as ResourceList;
    const found = new Map(page.items.map((item) => [item[resource.key], item]));
    for (const id of wanted) this.#read.set(`${resource.name}/${id}`, Promise.resolve(found.get(id)));
  }

  /** As `read`, with undefined for a parent that is gone: the rule then finds no value. */
  async tryRead(resource: PolicyResource, id: string, parents: Parents, field: string): Promise<Resource | undefined> {
    try {
      return await this.read(resource, id, parents, field);
    } catch (error) {
      if (missing(error)) return undefined;
      throw error;
    }
  }
}
