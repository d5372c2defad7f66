/**
 * Which verb of the plugin serves which operation, by Neutron's names: a resource's member and collection name, with the
 * parent's member name before them for a sub-resource (`create_port`, `get_ports`, `create_port_binding`).
 */
import type { Operation, ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Plugin, Verb } from '#src/lib/plugin.ts';
import { missingVerb } from '../errors.ts';
import { pluralName, resourceName } from '../naming.ts';

export type ServedOperation = Operation | 'create_bulk';

const VERB: Readonly<Record<ServedOperation, (name: string, plural: string) => string>> = {
  list: (_, plural) => `get_${plural}`,
  show: (name) => `get_${name}`,
  create: (name) => `create_${name}`,
  create_bulk: (name) => `create_${name}_bulk`,
  update: (name) => `update_${name}`,
  delete: (name) => `delete_${name}`,
  update_all: (_, plural) => `update_${plural}`,
  delete_all: (_, plural) => `delete_${plural}`,
};

export type Verbs = Readonly<Partial<Record<ServedOperation, Verb>>>;

/** The verbs of what the definition offers; one that is missing is an error at start. */
export function findVerbs(plugin: Plugin, definition: ResourceDefinition): Verbs {
  const name = resourceName(definition);
  const plural = pluralName(definition);
  const operations: readonly ServedOperation[] = definition.bulk
    ? [...definition.operations, 'create_bulk']
    : definition.operations;
  const verbs: Partial<Record<ServedOperation, Verb>> = {};
  for (const operation of operations) {
    const verbName = VERB[operation](name, plural);
    const verb = plugin.verbs[verbName];
    if (verb === undefined) throw missingVerb(plugin.type, verbName, definition.collection, `'${operation}'`);
    verbs[operation] = verb;
  }
  return verbs;
}

/** The verb that reads one item, also where clients may not (`show` is not among the operations). */
export function findReader(plugin: Plugin, definition: ResourceDefinition): Verb | undefined {
  return plugin.verbs[VERB.show(resourceName(definition), '')];
}
