/**
 * What a user may do. The host of an agent is its user name (percent-encoded, as it stands in topics), so two rules serve
 * every agent: it publishes below `P/up/<host>/` and subscribes below `P/down/<host>/` and `P/fanout/`. The server's user
 * may do all below `P/`. etc/mosquitto/nucleon.acl says the same to Mosquitto.
 */
import { sharedFilter } from './topics.ts';

/** What one user may publish and subscribe to. */
export interface Grant {
  canPublish(topic: string): boolean;
  /** The filter as it was sent, `$share/group/` included. */
  canSubscribe(filter: string): boolean;
}

/** The user name that the server's own processes connect with; no agent may have it. */
export const SERVER_USER = 'server';

/** A host as it stands in topics and as user name: no `/`, `+` or `#` is left in it. */
export function encodeHost(host: string): string {
  return encodeURIComponent(host);
}

/** The grants of all users below one topic prefix. */
export function topicGrants(topicPrefix: string): (username: string) => Grant {
  const root = `${topicPrefix}/`;
  const fanout = `${root}fanout`;
  const server: Grant = {
    canPublish: (topic) => topic.startsWith(root),
    canSubscribe: (filter) => plain(filter).startsWith(root),
  };
  return (username) => {
    if (username === SERVER_USER) return server;
    const up = `${root}up/${username}`;
    const down = `${root}down/${username}`;
    return {
      canPublish: (topic) => isWithin(topic, up),
      canSubscribe: (filter) => isWithin(plain(filter), down) || isWithin(plain(filter), fanout),
    };
  };
}

/** `branch` itself or below it (`a/#` also matches `a`). */
function isWithin(topic: string, branch: string): boolean {
  return topic.startsWith(branch) && (topic.length === branch.length || topic[branch.length] === '/');
}

function plain(filter: string): string {
  return sharedFilter(filter)?.filter ?? filter;
}
