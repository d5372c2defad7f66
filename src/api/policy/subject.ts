/** What policy must know of a resource to ask about its items. */
import type { ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Verb } from '#src/lib/plugin.ts';

export interface PolicyResource {
  /** The name in verbs and rules: `port_binding`. */
  readonly name: string;
  readonly definition: Pick<ResourceDefinition, 'member' | 'policy_parents'>;
  /** The attribute that names an item. */
  readonly key: string;
  readonly verbs: { readonly list?: Verb };
  /** Reads one item, whether or not clients may. */
  readonly reader: Verb | undefined;
  /** The resource below whose items this one stands. */
  readonly parent: PolicyResource | undefined;
}

export interface PolicyIndex {
  /** By the name in verbs: `network`. */
  byName(name: string): PolicyResource | undefined;
}

/** Ids of the items above, by member name. */
export type Parents = Readonly<Record<string, string>>;
