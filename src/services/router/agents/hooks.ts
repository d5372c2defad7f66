/** Follows routers, and agents that come and go: whatever makes a router need agents gives them in the same transaction. */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { RouterHost } from '../host.ts';
import { WANTED } from './attributes.ts';
import { publishAgents } from './scheduling.ts';
import { hostedBy } from './store.ts';

/** Behind those who make what scheduled routers lean on: networks and ids of highly available ones. */
const LATE = 100;

/** Subscribes to all of it. */
export function follow(host: RouterHost): void {
  const { callbacks, scheduling, outbox, log } = host;

  const schedule = async ({ latest, resource_id, tx, context, notify, verbs }: CallbackPayload) => {
    if (tx === undefined || notify === undefined || (latest as Resource)[WANTED] !== true) return;
    await scheduling.schedule({ tx, context, notify, ...(verbs === undefined ? {} : { verbs }) }, [resource_id]);
  };
  callbacks.subscribe(
    'router',
    'precommit_create',
    async (payload) => {
      // Others wait for their first gateway or interface.
      const { ha, gw_port_id } = payload.latest as Resource;
      if (ha === true || gw_port_id !== null) await schedule(payload);
    },
    LATE,
  );
  callbacks.subscribe(
    'router',
    'precommit_update',
    async (payload) => {
      // Who makes a router another kind of router sees to its agents.
      const [original, latest] = [payload.original, payload.latest] as [Resource, Resource];
      if (['ha', 'distributed'].every((name) => original[name] === latest[name])) await schedule(payload);
    },
    LATE,
  );
  callbacks.subscribe('router_interface', 'precommit_create', schedule, LATE);
  callbacks.subscribe('router_interface', 'precommit_delete', schedule, LATE);

  const come = ({ latest }: CallbackPayload) => {
    const { agent_type, agent_status } = latest as Resource;
    if (agent_type !== 'L3 agent' || agent_status === 'alive') return;
    // The report is answered meanwhile.
    scheduling
      .sweep()
      .catch((error: unknown) => log.error('routers without L3 agents could not be scheduled', { error }));
  };
  callbacks.subscribe('agent', 'after_create', come);
  callbacks.subscribe('agent', 'after_update', (payload) => {
    if ((payload.latest as Resource)['agent_status'] !== undefined) come(payload);
  });

  callbacks.subscribe('agent', 'precommit_delete', async ({ original, resource_id, tx, context }) => {
    const { agent_type, host: name } = original as Resource;
    if (tx === undefined || agent_type !== 'L3 agent') return;
    const messages = new Messages();
    const work = { tx, context, notify: messages.notify };
    const agents = [{ agent_id: resource_id, host: String(name) }];
    for (const router of await hostedBy(tx, resource_id)) {
      await publishAgents(callbacks, 'delete', work, router, agents);
    }
    messages.send(outbox, tx, context);
  });
}
