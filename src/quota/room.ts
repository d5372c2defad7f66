/**
 * What was lately seen of the room that projects have, so that the hint before each creation costs a statement now and
 * then only. Near the limit it is worth nothing: half of the room is believed, and that for a second.
 */
import type { Standing } from './store.ts';

const BELIEVED_MS = 1000;
/** Projects and resources to remember. */
const KEPT = 1000;

export interface Room {
  /** Whether there was plainly room for so many more; they are taken. */
  take(project_id: string, resource: string, count: number): boolean;
  saw(project_id: string, standing: Standing): void;
}

export function createRoom(now: () => number = () => performance.now()): Room {
  const seen = new Map<string, { left: number; readonly until: number }>();
  const keyOf = (project_id: string, resource: string) => `${resource} ${project_id}`;
  return {
    take(project_id, resource, count) {
      const room = seen.get(keyOf(project_id, resource));
      if (room === undefined || room.until < now() || room.left < count) return false;
      room.left -= count;
      return true;
    },
    saw(project_id, { resource, limit, used }) {
      const key = keyOf(project_id, resource);
      seen.delete(key);
      if (seen.size >= KEPT) seen.clear();
      const left = limit < 0 ? Number.POSITIVE_INFINITY : Math.floor((limit - used) / 2);
      seen.set(key, { left, until: now() + BELIEVED_MS });
    },
  };
}
