/** Many requests at the same moment, from as many connections as a worker has. */
import { EVERY_PLUGIN } from '../security/areas/mod.ts';
import { makeWorld, type World } from '../support/kinds.ts';
import { type Answer, Stack } from '../support/stack.ts';

/** Callers at once. */
export const CROWD = 20;

export async function startCrowded(name: string): Promise<World> {
  return await makeWorld(await Stack.start(name, EVERY_PLUGIN, 16));
}

/** Asks so many times at once. */
export function crowd(ask: (at: number) => Promise<Answer>, count = CROWD): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => ask(at)));
}

/** How many answers of each kind there are: `{200: 1, '412 RevisionNumberConstraintFailed': 19}`. */
export function tally(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const type = body?.NeutronError?.type;
    const key = type === undefined ? String(status) : `${status} ${type}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
