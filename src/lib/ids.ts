/** Branded ids, so that a port id cannot pass for a network id, and how ids are made. */

declare const kind: unique symbol;

/** A UUID that names one kind of object. */
export type Id<Kind extends string> = string & { readonly [kind]: Kind };

export type NetworkId = Id<'network'>;
export type SubnetId = Id<'subnet'>;
export type PortId = Id<'port'>;
export type AgentId = Id<'agent'>;
export type SegmentId = Id<'segment'>;
export type ProjectId = Id<'project'>;
export type UserId = Id<'user'>;

/** A new random UUID (version 4, as Neutron makes them). */
export function newId<Kind extends string>(): Id<Kind> {
  return crypto.randomUUID() as Id<Kind>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text can be an id at all: a lookup by anything else needs no database. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
