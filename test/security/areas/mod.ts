/** All areas of the API: what the suites over all routes go through. */
import type { Stack } from '../../support/stack.ts';
import type { Area, Furnished } from './area.ts';
import { core } from './core.ts';

export const AREAS: readonly Area[] = [core];

/** One object of each collection of these areas, in an otherwise empty database. */
export async function furnish(stack: Stack, areas: readonly Area[] = AREAS): Promise<Furnished> {
  await stack.clear();
  let all: Furnished = { ids: {}, bodies: {} };
  for (const area of areas) {
    const { ids, bodies } = await area.furnish(stack);
    all = { ids: { ...all.ids, ...ids }, bodies: { ...all.bodies, ...bodies } };
  }
  return all;
}
