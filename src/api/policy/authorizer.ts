/**
 * Policy for one request: asks the engine about items, with the attributes of their parents where a rule really reads them.
 *
 * A rule is first asked about an item that watches what is read of it. Nothing read: the answer holds for every item of the
 * request (`rule:admin_only`) and is kept. No parent's attribute read, or the rule holds without: the answer stands, also for
 * other items that read alike. Otherwise the parents are fetched and the rule is asked again. So an administrator's list
 * costs one question, and an owner's costs no statement more.
 */
import type { Context } from '#src/lib/context.ts';
import { PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Policy } from '#src/lib/policy.ts';
import { type ParentAttribute, ParentReader, parentAttribute } from './parents.ts';
import type { Parents, PolicyIndex, PolicyResource } from './subject.ts';

const NONE: ReadonlySet<string> = new Set();

/** Stands for an item and notes what is read of it. One serves all items of a request: to make one for each costs more than the rule. */
class Watcher {
  /** Whether anything was read. */
  any = false;
  /** Whether an attribute of a parent was. */
  parents = false;
  readonly proxy: Resource;
  #item: Resource = {};
  #needed: ReadonlySet<string> = NONE;

  constructor() {
    const saw = (key: string | symbol) => {
      this.any = true;
      // A plugin may read a parent's attribute along with the item: then the parent is not read for it.
      if (typeof key === 'string' && this.#needed.has(key) && !Object.hasOwn(this.#item, key)) this.parents = true;
    };
    this.proxy = new Proxy<Record<string, unknown>>(
      {},
      {
        get: (_, key) => {
          saw(key);
          return Reflect.get(this.#item, key);
        },
        has: (_, key) => {
          saw(key);
          return Reflect.has(this.#item, key);
        },
        getOwnPropertyDescriptor: (_, key) => {
          saw(key);
          return Reflect.getOwnPropertyDescriptor(this.#item, key);
        },
        ownKeys: () => {
          this.any = true;
          this.parents = this.#needed.size > 0;
          return Reflect.ownKeys(this.#item);
        },
      },
    );
  }

  /** The item to ask about next; `needed` are the attributes of parents that the rule may read. */
  watch(item: Resource, needed: ReadonlySet<string>): Resource {
    this.any = false;
    this.parents = false;
    this.#item = item;
    this.#needed = needed;
    return this.proxy;
  }
}

/** A rule whose answer depends on the item: answers by what it reads, because of many items most read alike. */
interface Varying {
  readonly names: readonly string[];
  readonly answers: Map<string, boolean | undefined>;
}

/** Policy reads the owner by its one name where an object has not the other. */
function bothOwners(names: readonly string[]): readonly string[] {
  const ending = /(?:tenant|project)_id$/;
  const owners = names.filter((name) => ending.test(name));
  return [...names, ...['tenant_id', 'project_id'].flatMap((end) => owners.map((name) => name.replace(ending, end)))];
}

/** What the rule reads of the item, as text; undefined where that is no plain value. */
function readingOf({ names }: Varying, item: Resource): string | undefined {
  let text = '';
  for (const name of names) {
    const value = item[name];
    if (typeof value === 'object' && value !== null) return undefined;
    text += `${typeof value} ${value}\0`;
  }
  return text;
}

export class Authorizer {
  readonly context: Context;
  readonly policy: Policy;
  readonly #parents: ParentReader;
  /** Rules whose answer does not depend on the item. */
  readonly #constant = new Map<string, boolean>();
  /** Rules whose answer does. */
  readonly #varying = new Map<string, Varying>();
  readonly #watcher = new Watcher();
  /** The parents' attributes that rules may ask for. */
  readonly #needed = new Map<string, ReadonlySet<string>>();

  constructor(policy: Policy, index: PolicyIndex, context: Context) {
    this.policy = policy;
    this.context = context;
    this.#parents = new ParentReader(index, context);
  }

  /** The answer, or undefined when a parent must be read for it. */
  #ask(rule: string, item: Resource, needed: ReadonlySet<string>): boolean | undefined {
    const known = this.#constant.get(rule);
    if (known !== undefined) return known;
    const { policy, context } = this;
    const varying = this.#varying.get(rule);
    const alike = varying === undefined ? undefined : readingOf(varying, item);
    if (varying !== undefined && alike !== undefined && varying.answers.has(alike)) return varying.answers.get(alike);
    const watcher = this.#watcher;
    const holds = policy.allows(context, rule, watcher.watch(item, needed));
    const settled = !watcher.parents || (holds && !policy.parentsMayForbid(rule));
    const answer = settled ? holds : undefined;
    if (!watcher.any) this.#constant.set(rule, holds);
    else if (varying === undefined)
      this.#varying.set(rule, { names: bothOwners([...policy.attributes(rule), ...needed]), answers: new Map() });
    else if (alike !== undefined) varying.answers.set(alike, answer);
    return answer;
  }

  #needs(rule: string): ReadonlySet<string> {
    let needed = this.#needed.get(rule);
    if (needed === undefined) {
      const parents = this.policy.parents(rule);
      needed = parents.length === 0 ? NONE : new Set(parents);
      this.#needed.set(rule, needed);
    }
    return needed;
  }

  /** Whether the rule holds for the item, or undefined where a parent must be read for it (`allows`). */
  answer(rule: string, item: Resource): boolean | undefined {
    return this.#ask(rule, item, this.#needs(rule));
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
        ? await this.#parents.read(place.resource, place.id, place.parents, attribute.field)
        : await this.#parents.tryRead(place.resource, place.id, place.parents, attribute.field);
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
