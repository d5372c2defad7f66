/**
 * A plugin that follows routers and floating IPs as those will who tell agents of them. It notes what it hears where the test
 * finds it, and refuses interfaces when it is told to.
 */

import type { CallbackEvent } from '#src/lib/callbacks.ts';
import { BadRequest } from '#src/lib/errors.ts';
import type { PluginModule } from '#src/lib/plugin.ts';
import { hearing } from './heard.ts';

const KINDS = ['router', 'router_interface', 'router_gateway', 'floatingip'];
const EVENTS = ['before', 'precommit', 'after'].flatMap((when) =>
  ['create', 'update', 'delete'].map((what) => `${when}_${what}` as CallbackEvent),
);

export default {
  create({ callbacks }) {
    for (const kind of KINDS) {
      for (const event of EVENTS) {
        callbacks.subscribe(kind, event, ({ resource_id, tx, notify }) => {
          const inside = event.startsWith('precommit_');
          if (inside !== (tx !== undefined)) throw new Error(`${event} of ${kind}: wrong about its transaction`);
          hearing().heard.push(`${event} ${kind}`);
          if (hearing().refuse === `${event} ${kind}`) throw new BadRequest(kind, 'the listener says so');
          if (inside && notify !== undefined && hearing().notify) {
            notify({
              ...{ to: { host: 'network1' }, topic: 'test_agent', method: 'routers_updated', version: '1.2' },
              ...{ args: { routers: [resource_id] }, key: `router:${resource_id}` },
            });
          }
        });
      }
    }
    return { type: 'LISTENER', extensions: [], verbs: {} };
  },
} satisfies PluginModule;
