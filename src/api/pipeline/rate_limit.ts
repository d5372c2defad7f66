/**
 * `rate_limit`: at most so many requests of one project, or one address, in a time ([rate_limit]; off unless configured).
 * Each worker counts for itself: with five workers five times as many pass. By project it must stand behind `auth`.
 */
import { NeutronError } from '#src/lib/errors.ts';
import type { ApiMiddleware, MiddlewareOptions } from '../state.ts';

interface Window {
  count: number;
  readonly ends: number;
}

/** Callers remembered at once; beyond it those whose time is over are forgotten. */
const MANY = 10_000;

export function rateLimit({ config, clock }: MiddlewareOptions): ApiMiddleware | undefined {
  const limit = config.integer('rate_limit', 'requests');
  if (limit === 0) return undefined;
  const milliseconds = config.integer('rate_limit', 'seconds') * 1000;
  const byProject = config.string('rate_limit', 'by') === 'project';
  const windows = new Map<string, Window>();

  function forget(now: number): void {
    for (const [caller, window] of windows) if (window.ends <= now) windows.delete(caller);
    // All of them within their time: the oldest go, so that memory stays bounded.
    for (const caller of windows.keys()) {
      if (windows.size < MANY) return;
      windows.delete(caller);
    }
  }

  return async (c, next) => {
    const project = byProject ? (c.get('context')?.project_id ?? null) : null;
    const caller = project === null ? `remote ${c.env.remote.address}` : `project ${project}`;
    const now = clock.now();
    let window = windows.get(caller);
    if (window === undefined || window.ends <= now) {
      if (windows.size >= MANY) forget(now);
      window = { count: 0, ends: now + milliseconds };
      windows.set(caller, window);
    }
    window.count += 1;
    if (window.count > limit) {
      const seconds = Math.ceil((window.ends - now) / 1000);
      throw new NeutronError('HTTPTooManyRequests', 429, `Too many requests: try again in ${seconds} seconds.`, {
        headers: { 'Retry-After': String(seconds) },
      });
    }
    await next();
  };
}
