/** What a resource is called in verbs and policy rules: its own names, with the parent's member name before a sub-resource's. */
import type { ResourceDefinition } from '#src/lib/api/definition.ts';

/** `port_binding`: the resource's name in verbs and policy rules. */
export function resourceName(definition: ResourceDefinition): string {
  return definition.parent === undefined ? definition.member : `${definition.parent.member}_${definition.member}`;
}

/** `port_bindings` */
export function pluralName(definition: ResourceDefinition): string {
  return definition.parent === undefined
    ? definition.collection
    : `${definition.parent.member}_${definition.collection}`;
}
