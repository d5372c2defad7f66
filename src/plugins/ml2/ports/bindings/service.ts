/**
 * The verbs of a port's bindings. One of them is active: it is what `binding:*` of the port shows, and changing it is changing
 * the port. The others prepare hosts that the port may move to; drivers are asked for them while nothing is locked, and what
 * they chose is written if the port's bindings are still as they were then.
 */
import { bumpRevisions, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { Messages } from '#src/lib/messages.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import { type BindingChoice, SEGMENT_GONE, writeBindings } from '../../binding/mod.ts';
import { portChanged } from '../../objects/mod.ts';
import type { Ml2 } from '../../state.ts';
import { equal } from '../../values.ts';
import { checkProfile } from '../profile.ts';
import { portReading } from '../reading.ts';
import { createActivation } from './activation.ts';
import { PortBindingAlreadyExists, PortBindingError, PortBindingNotFound } from './errors.ts';
import { pageOf } from './page.ts';
import { type BindingScene, lockAndLookAt, lookAt } from './scene.ts';
import {
  type BindingWish,
  changeInactive,
  deleteInactive,
  insertBinding,
  ONE_ON_A_HOST,
  type PortBinding,
  readBindings,
  shown,
} from './store.ts';

/** Tries of what somebody else was quicker with. */
const TRIES = 10;

/** `updatePort`: the verb of ports, for what is to become of the active binding. */
export function bindingVerbs(ml2: Ml2, log: Logger, updatePort: Verb): Readonly<Record<string, Verb>> {
  const { db, binder, callbacks, outbox } = ml2;
  const reading = portReading(ml2.extensions.ports);
  const activate = createActivation(ml2, reading);
  const look = (context: Context, call: Call) => lookAt(db.sql, reading, context, portOf(call));
  /** Agents of the hosts that it is bound to, or was until now, are told of the port. COMMIT goes out with it. */
  const push = async (
    tx: Transaction,
    context: Context,
    { port, bindings }: BindingScene,
    host: string,
  ): Promise<void> => {
    const port_id = String(port['id']);
    const messages = new Messages();
    messages.notify(portChanged(port_id, bindings));
    await callbacks.publish('port_binding', 'precommit_update', {
      ...{ context, resource_id: port_id, latest: port, tx, notify: messages.notify },
      metadata: { host, former: bindings.map((binding) => binding.host) },
    });
    messages.send(outbox, tx, context);
  };

  /** What drivers make of a binding; undefined: the network has no segments. Throws PortBindingError. */
  const choose = async (context: Context, port: Resource, wish: BindingWish): Promise<BindingChoice | undefined> => {
    const as = { 'binding:host_id': wish.host, 'binding:vnic_type': wish.vnic_type, 'binding:profile': wish.profile };
    const [choice] = await binder.choose(context, [{ port: { ...port, ...as } }]);
    if (choice?.kind !== 'failed') return choice;
    const port_id = String(port['id']);
    log.warn('a port cannot be bound to a further host', { port_id, host: wish.host, failures: choice.failures });
    await binder.released([String(port['network_id'])]);
    throw new PortBindingError(port_id, wish.host);
  };

  /** Does it in a transaction with the port locked, and what drivers chose is written for the host of `wish`. */
  const commit = async (
    context: Context,
    port_id: string,
    wish: BindingWish,
    choice: BindingChoice | undefined,
    write: (tx: Transaction, scene: BindingScene) => Promise<unknown>,
  ): Promise<Resource> => {
    try {
      return await db.transaction({ label: 'port_binding' }, async (tx) => {
        const scene = await lockAndLookAt(tx, reading, context, port_id);
        await write(tx, scene);
        const { host } = wish;
        const [, , bindings] = await Promise.all([
          choice === undefined ? undefined : writeBindings(tx, [{ port_id, host, choice }]),
          bumpRevisions(tx, 'ports', [port_id]),
          readBindings(tx, port_id),
        ]);
        await push(tx, context, scene, host);
        return shown(bindings.find((binding) => binding.host === host)!);
      });
    } catch (error) {
      if (violatedConstraint(error) === ONE_ON_A_HOST) throw new PortBindingAlreadyExists(port_id, wish.host);
      throw error;
    }
  };

  /** Tries again while the segment that was chosen goes, or the binding changes, before it is written. */
  const trying = async <Result>(port_id: string, host: string, attempt: () => Promise<Result>): Promise<Result> => {
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof Overtaken) && violatedConstraint(error) !== SEGMENT_GONE) throw error;
      }
    }
    throw new PortBindingError(port_id, host);
  };

  /** Changes the port's own binding, if it is still as it was seen. Throws PortBindingError when no driver binds it so. */
  const changeActive = async (context: Context, seen: Resource, wish: Partial<BindingWish>): Promise<void> => {
    const port_id = String(seen['id']);
    const body = {
      ...(wish.host === undefined ? {} : { 'binding:host_id': wish.host }),
      ...(wish.vnic_type === undefined ? {} : { 'binding:vnic_type': wish.vnic_type }),
      ...(wish.profile === undefined ? {} : { 'binding:profile': wish.profile }),
    };
    const if_match = Number(seen['revision_number']);
    const changing = updatePort(context, { id: port_id, parents: {}, body, if_match }) as Promise<Resource>;
    const port = await changing.catch((error: unknown) => {
      throw error instanceof RevisionNumberConstraintFailed ? new Overtaken() : error;
    });
    if (port['binding:vif_type'] === 'binding_failed') {
      throw new PortBindingError(port_id, String(port['binding:host_id']));
    }
  };

  const changeOther = async (
    context: Context,
    scene: BindingScene,
    known: PortBinding,
    wish: BindingWish,
  ): Promise<Resource> => {
    const port_id = String(scene.port['id']);
    const choice = await choose(context, scene.port, wish);
    return await commit(context, port_id, wish, choice, async (tx, { on }) => {
      if (!equal(on(known.host), known)) throw new Overtaken();
      await changeInactive(tx, port_id, known.host, wish);
    });
  };

  return {
    async get_port_bindings(context, call) {
      const { bindings } = await look(context, call);
      const missing = (host: string) => new PortBindingNotFound(portOf(call), host);
      return pageOf(bindings.map(shown), 'host', call.query!, missing);
    },

    get_port_binding: async (context, call) => shown((await look(context, call)).on(hostOf(call))),

    async create_port_binding(context, call) {
      const body = call.body ?? {};
      const port_id = portOf(call);
      const wish = wishOf(body, { host: '', vnic_type: 'normal', profile: {} });
      return await trying(port_id, wish.host, async () => {
        const { port, bindings } = await look(context, call);
        checkRevision(call, port);
        if (bindings.some(({ host }) => host === wish.host)) throw new PortBindingAlreadyExists(port_id, wish.host);
        const choice = await choose(context, port, wish);
        return await commit(context, port_id, wish, choice, (tx) => insertBinding(tx, port_id, wish));
      });
    },

    async update_port_binding(context, call) {
      const body = call.body ?? {};
      const port_id = portOf(call);
      return await trying(port_id, hostOf(call), async () => {
        const scene = await look(context, call);
        const known = scene.on(hostOf(call));
        checkRevision(call, scene.port);
        const wish = wishOf(body, known);
        const { host, vnic_type, profile } = known;
        if (equal(wish, { host, vnic_type, profile })) return shown(known);
        if (known.status === 'INACTIVE') return await changeOther(context, scene, known, wish);
        await changeActive(context, scene.port, pickWish(body));
        return shown((await look(context, call)).on(wish.host));
      });
    },

    async delete_port_binding(context, call) {
      const port_id = portOf(call);
      const port = await trying(port_id, hostOf(call), async () => {
        const { port, active } = await db.transaction({ label: 'delete_port_binding' }, async (tx) => {
          const scene = await lockAndLookAt(tx, reading, context, port_id);
          const { port, on } = scene;
          const { host, status } = on(hostOf(call));
          checkRevision(call, port);
          if (status === 'ACTIVE') return { port, active: true };
          await Promise.all([deleteInactive(tx, port_id, host), bumpRevisions(tx, 'ports', [port_id])]);
          await push(tx, context, scene, host);
          return { port, active: false };
        });
        // A port without its active binding is one that nobody has placed yet.
        if (active) await changeActive(context, port, { host: '', profile: {} });
        return port;
      });
      await binder.released([String(port['network_id'])]);
    },

    activate: (context, call) => activate(context, portOf(call), hostOf(call)),
  };
}

/** The bindings of the port are not what drivers were asked about. */
class Overtaken extends Error {}

const portOf = ({ parents }: Call): string => parents['port'] ?? '';
const hostOf = ({ id = '' }: Call): string => id;

/** What the body asks for; a profile that is null is an empty one. */
function pickWish(body: Resource): Partial<BindingWish> {
  const { host, vnic_type, profile } = body;
  checkProfile(profile);
  return {
    ...(host === undefined ? {} : { host: String(host) }),
    ...(vnic_type === undefined ? {} : { vnic_type: String(vnic_type) }),
    ...(profile === undefined ? {} : { profile: (profile ?? {}) as BindingWish['profile'] }),
  };
}

const wishOf = (body: Resource, { host, vnic_type, profile }: BindingWish): BindingWish => ({
  host,
  vnic_type,
  profile,
  ...pickWish(body),
});

function checkRevision({ if_match: expected }: Call, port: Resource): void {
  const revision = port['revision_number'];
  if (expected !== undefined && expected !== revision) {
    throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
  }
}
