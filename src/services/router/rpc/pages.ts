/** How many routers an answer holds: by estimate before they are read, and as they are. */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import { AIM_BYTES, MAX_BYTES } from '#src/rpc/contract.ts';
import { TooManyRouters } from './errors.ts';
import type { CountedRouter } from './routers_of_host.ts';

const encoder = new TextEncoder();

/** What things take in an answer, about: who asks for far too much is told so before it is read. */
const BYTES = { router: 1000, port: 1700, floatingip: 700 };
/** Floating IPs of a router that begins a page, where it has more. */
export const FLOATING_IPS = Math.floor(AIM_BYTES / BYTES.floatingip / 2);
/** An answer has a few words around the routers. */
const MOST_BYTES = MAX_BYTES - 1024;
/** Routers on a page at most: what they hold is counted before they are read. */
export const MOST = 64;
/** No answer can hold so many routers. */
export const ALL = 2000;

const bytesOf = ({ ports, floatingips }: CountedRouter): number =>
  BYTES.router + ports * BYTES.port + floatingips * BYTES.floatingip;

const sizeOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length + 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Throws for far more routers than an answer holds, by estimate. */
export function refuseFarTooMany(routers: readonly CountedRouter[]): void {
  if (sum(routers.map(bytesOf)) > 2 * MOST_BYTES) throw new TooManyRouters(routers.length);
}

/** Throws for more routers than an answer holds. */
export function refuseTooMany(routers: readonly JsonObject[]): void {
  if (sum(routers.map(sizeOf)) > MOST_BYTES) throw new TooManyRouters(routers.length);
}

/** As many as fit, one at least. */
function fitting<Item>(items: readonly Item[], size: (item: Item) => number, most: number): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item, at) => {
    bytes += size(item);
    return at > 0 && bytes > most;
  });
  return end < 0 ? items : items.slice(0, end);
}

/** The first routers that fit on a page by estimate. */
export const firstByEstimate = (routers: readonly CountedRouter[]): readonly CountedRouter[] =>
  fitting(routers, bytesOf, AIM_BYTES);

/** The first routers that fit on a page as they are; one that is too large by itself has as many floating IPs as fit. */
export function firstThatFit(routers: readonly JsonObject[]): readonly JsonObject[] {
  const page = fitting(routers, sizeOf, AIM_BYTES);
  const [first] = page;
  const size = first === undefined ? 0 : sizeOf(first);
  if (first === undefined || size <= MOST_BYTES) return page;
  const floatingips = (first['_floatingips'] ?? []) as readonly Json[];
  const left = MOST_BYTES - (size - sizeOf(floatingips));
  return [{ ...first, _floatingips: fitting(floatingips, sizeOf, left) as Json[] }];
}
