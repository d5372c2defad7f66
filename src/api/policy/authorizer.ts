/**
 * Policy for one request: asks the engine about items, with the attributes of their parents where a rule really reads them.
 *
 * A rule is first asked about an item that watches what is read of it. Nothing read: the answer holds for every item of the
 * request (`rule:admin_only`) and is kept. No parent's attribute read: the answer stands. Otherwise the parents are fetched
 * and the rule is asked again. So an administrator's list costs one question, and an owner's costs no statement more.
 */
import type { Context } from '#src/lib/context.ts';
import { PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Policy } from '#src/lib/policy.ts';
import { type ParentAttribute, ParentReader, parentAttribute } from './parents.ts';
import type { Parents, PolicyIndex, PolicyResource } from './subject.ts';

interface Watch {
  any: boolean;
  parents: boolean;
}

function watched(item: Resource, needed: ReadonlySet<string>, watch: Watch): Resource {
  const saw = (key: string | symbol) => {
    watch.any = true;
    if (typeof key === 'string' && needed.has(key)) watch.parents = true;
  };
  return new Proxy(item, {
    get: (target, key) => {
      saw(key);
      return Reflect.get(target, key);
    },
    has: (target, key) => {
      saw(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor: (target, key) => {
      saw(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys: (target) => {
      watch.any = true;
      watch.parents = needed.size > 0;
      return Reflect.ownKeys(target);
    },
  });
}

const NONE: ReadonlySet<string> = new Set();

export class Authorizer {
  readonly context: Context;
  readonly policy: Policy;
  readonly #parents: ParentReader;
  /** Rules whose answer does not depend on the item. */
  readonly #constant = new Map<string, boolean>();
  /** Rules whose answer does: watching them again teaches nothing. */
  readonly #varying = new Set<string>();

  constructor(policy: Policy, index: PolicyIndex, context: Context) {
    this.policy = policy;
    this.context = context;
    this.#parents = new ParentReader(index, context);
  }

  /** The answer, or undefined when a parent must be read for it. */
  #ask(rule: string, item: Resource, needed: ReadonlySet<string>): boolean | undefined {
    const known = this.#constant.get(rule);
    if (known !== undefined) return known;
    if (needed.size === 0 && this.#varying.has(rule)) return this.policy.allows(this.context, rule, item);
    const watch: Watch = { any: false, parents: false };
    const answer = this.policy.allows(this.context, rule, watched(item, needed, watch));
    if (watch.any) this.#varying.add(rule);
    else this.#constant.set(rule, answer);
    return watch.parents ? undefined : answer;
  }

  #needs(rule: string): ReadonlySet<string> {
    const parents = this.policy.parents(rule);
    return parents.length === 0 ? NONE : new Set(parents);
  }

  async #withParents(
    resource: PolicyResource,
    parents: Parents,
    item: Resource,
    needed: Iterable<string>,
    strict: boolean,
  ): Promise<Resource> {
    const target: Record<string, unknown> = { ...item };
    for (const attribute of [...needed].map(parentAttribute)) {
      const place = this.#parents.locate(resource, parents, item, attribute.parent);
      if (place === undefined) continue;
      const parent = strict
        ? await this.#parents.read(place.resource, place.id, place.parents)
        : await this.#parents.tryRead(place.resource, place.id, place.parents);
      const value = fieldOf(parent, attribute);
      if (value !== undefined) target[attribute.key] = value;
    }
    return target;
  }

  /** Whether the rule holds for the item. `strict`: a parent that does not exist is the caller's error (a creation). */
  async allows(
    resource: PolicyResource,
    rule: string,
    item: Resource,
    parents: Parents,
    strict = false,
  ): Promise<boolean> {
    const needed = this.#needs(rule);
    const answer = this.#ask(rule, item, needed);
    if (answer !== undefined) return answer;
    return this.policy.allows(this.context, rule, await this.#withParents(resource, parents, item, needed, strict));
  }

  /** Throws PolicyNotAuthorized unless all rules hold for the item. */
  async enforce(
    resource: PolicyResource,
    rules: readonly string[],
    item: Resource,
    parents: Parents,
    strict = false,
  ): Promise<void> {
    for (const rule of rules) {
      if (!(await this.allows(resource, rule, item, parents, strict))) throw denied(rules);
    }
  }

  /**
   * Reads, as the caller, the parents that the rules ask about; throws the NotFound of one that the caller does not see. Who is
   * denied must not learn from the denial that such a parent exists.
   */
  async requireParents(
    resource: PolicyResource,
    rules: readonly string[],
    item: Resource,
    parents: Parents,
  ): Promise<void> {
    const names = rules.flatMap((rule) => this.policy.parents(rule)).map((key) => parentAttribute(key).parent);
    for (const name of new Set(names)) {
      const place = this.#parents.locate(resource, parents, item, name);
      if (place !== undefined) await place.resource.reader?.(this.context, { id: place.id, parents: place.parents });
    }
  }

  /** The items for which the rule holds, in order. */
  async filter(
    resource: PolicyResource,
    rule: string,
    items: readonly Resource[],
    parents: Parents,
  ): Promise<readonly Resource[]> {
    const needed = this.#needs(rule);
    const answers = items.map((item) => this.#ask(rule, item, needed));
    if (answers.every((answer) => answer === true)) return items;
    if (answers.includes(undefined)) {
      await this.#prefetch(
        resource,
        parents,
        items.filter((_, at) => answers[at] === undefined),
        needed,
      );
      for (const [at, item] of items.entries()) {
        if (answers[at] !== undefined) continue;
        const target = await this.#withParents(resource, parents, item, needed, false);
        answers[at] = this.policy.allows(this.context, rule, target);
      }
    }
    return items.filter((_, at) => answers[at]);
  }

  async #prefetch(
    resource: PolicyResource,
    parents: Parents,
    items: readonly Resource[],
    needed: ReadonlySet<string>,
  ): Promise<void> {
    for (const name of new Set([...needed].map((key) => parentAttribute(key).parent))) {
      const places = items
        .map((item) => this.#parents.locate(resource, parents, item, name))
        .filter((place) => place !== undefined);
      if (places[0] === undefined || places[0].resource.parent !== undefined) continue;
      await this.#parents.prefetch(
        places[0].resource,
        places.map((place) => place.id),
      );
    }
  }

  /**
   * The answer for whichever item, or undefined when it depends on the item. Lets a view decide once for a whole list.
   */
  forAll(rule: string, sample: Resource): boolean | undefined {
    this.#ask(rule, sample, this.#needs(rule));
    return this.#constant.get(rule);
  }
}

/** Names the rules as oslo.policy prints them. */
function denied(rules: readonly string[]): Error {
  const named = rules.map((rule) => `rule:${rule}`);
  return new PolicyNotAuthorized(named.length === 1 ? named[0]! : `(${named.join(' and ')})`);
}

function fieldOf(parent: Resource | undefined, attribute: ParentAttribute): unknown {
  if (parent === undefined) return undefined;
  // The two names of the owner are one attribute; a plugin gives either.
  if (attribute.field === 'tenant_id') return parent['tenant_id'] ?? parent['project_id'];
  if (attribute.field === 'project_id') return parent['project_id'] ?? parent['tenant_id'];
  return parent[attribute.field];
}
