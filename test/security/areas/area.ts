/**
 * One area of the API, as the suites over all routes need it: who may do what on its routes, and one object of each of its
 * collections, which belong to the project `alice`.
 */
import type { Stack, Who } from '../../support/stack.ts';

/** The objects belong to the project `alice`. */
export const CALLERS = {
  none: { project: 'alice', roles: ',' },
  reader: { project: 'alice', roles: 'reader' },
  member: { project: 'alice', roles: 'member' },
  manager: { project: 'alice', roles: 'manager' },
  admin: { project: 'admin', roles: 'admin' },
  service: { project: 'service', roles: 'service' },
  stranger: { project: 'bob', roles: 'member' },
} as const satisfies Readonly<Record<string, Who>>;

/** What a caller gets: a status; of a list, whether the object is in it. */
export type Outcome = number | 'sees' | 'hidden';
export type Row = Readonly<Record<keyof typeof CALLERS, Outcome>>;

export const everybody = (outcome: Outcome): Row => ({
  none: outcome,
  reader: outcome,
  member: outcome,
  manager: outcome,
  admin: outcome,
  service: outcome,
  stranger: outcome,
});
export const only = (outcome: Outcome, others: Outcome): Row => ({ ...everybody(others), admin: outcome });
/** What the project's members do, and what others are told. */
export const members = (done: number, service: Outcome = 403): Row => ({
  none: 404,
  reader: 403,
  member: done,
  manager: done,
  admin: done,
  service,
  stranger: 404,
});
export const readers = (seen: Outcome, hidden: Outcome): Row => ({
  ...everybody(seen),
  none: hidden,
  stranger: hidden,
});

/** Objects to ask about, and bodies that would create and change such. */
export interface Furnished {
  /** By collection. */
  readonly ids: Readonly<Record<string, string>>;
  /** By route: `POST networks`. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

export interface Area {
  /** By route: `GET networks/{id}`. */
  readonly routes: Readonly<Record<string, Row>>;
  /** Makes the objects in an empty database. */
  furnish(stack: Stack): Promise<Furnished>;
}
