/** The engine of port binding; `mod.ts` tells how it goes. */
import { showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Context } from '#src/lib/context.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { MacAddressInUse } from '../errors.ts';
import type { LifecycleHost } from '../lifecycle.ts';
import type { ExtensionManager } from '../managers/extension.ts';
import type { TypeManager } from '../managers/type.ts';
import { portReading } from '../ports/reading.ts';
import { MAC_ONCE } from '../ports/store.ts';
import type { PortStatuses } from '../status/mod.ts';
import { askDrivers } from './ask.ts';
import { needsBinding } from './bound.ts';
import type { BindingChoice, Candidate } from './choice.ts';
import { type Committed, createCommitter } from './commit.ts';
import { createDynamicSegments } from './dynamic.ts';
import { readInputs } from './inputs.ts';
import { SEGMENT_GONE } from './store.ts';

/** Rounds at most in which somebody else was quicker (neutron.plugins.ml2.plugin.MAX_BIND_TRIES). */
const MOST_ROUNDS = 10;

export interface BinderHost extends LifecycleHost {
  readonly config: Config;
  readonly log: Logger;
  readonly types: TypeManager;
  readonly extensions: ExtensionManager;
  readonly statuses: PortStatuses;
}

export interface Binder {
  /** Binds those of the ports that have a host and are not bound; gives all of them that exist, as they are then. */
  bind(context: Context, port_ids: readonly string[]): Promise<readonly Resource[]>;
  /** The same for ports that were just written; in their order, each as it is then, or was before it was gone. */
  bindWritten(context: Context, candidates: readonly Candidate[]): Promise<readonly Resource[]>;
  /**
   * Asks drivers for ports as if `binding:host_id` and the like were theirs, and writes nothing: for bindings that are not
   * active. Undefined where the network has no segments.
   */
  choose(context: Context, candidates: readonly Candidate[]): Promise<readonly (BindingChoice | undefined)[]>;
  /** After ports of these networks were unbound or deleted: takes away segments that were made for them alone. */
  released(network_ids: readonly string[]): Promise<void>;
}

export function createBinder(host: BinderHost): Binder {
  const { db, callbacks, config, log, mechanisms } = host;
  const reading = portReading(host.extensions.ports);
  const downTime = config.integer('DEFAULT', 'agent_down_time');
  const dynamic = createDynamicSegments(db, host.types);
  const makesSegments = mechanisms.drivers.some(({ dynamic_segments }) => dynamic_segments === true);
  const committer = createCommitter(host);

  const choose: Binder['choose'] = async (context, candidates) => {
    if (candidates.length === 0) return [];
    const ports = candidates.map(({ port }) => port);
    const inputs = await readInputs(db.sql, ports, downTime);
    const asking = { context, drivers: mechanisms.drivers, inputs, log, allocate: dynamic.allocate };
    const choices: (BindingChoice | undefined)[] = [];
    for (const candidate of candidates) choices.push(await askDrivers(asking, candidate));
    return choices;
  };

  const released: Binder['released'] = async (network_ids) => {
    if (!makesSegments) return;
    try {
      await dynamic.release([...new Set(network_ids)]);
    } catch (error) {
      log.error('dynamic segments that nothing is bound to are still there', { network_ids, error });
    }
  };

  /** One round: asks, commits, tells. Gives the ports that came to their end; the others have changed meanwhile. */
  const round = async (context: Context, candidates: readonly Candidate[]): Promise<readonly Resource[]> => {
    const choices = await choose(context, candidates);
    const chosen = candidates.flatMap((candidate, place) => {
      const choice = choices[place];
      return choice === undefined ? [] : [{ ...candidate, choice }];
    });
    const commits = chosen.length === 0 ? [] : await committer.commit(context, chosen).catch(refused);
    const failed = chosen.filter(({ choice }) => choice.kind === 'failed');
    for (const { port, choice } of failed) if (hasEnded(commits, port)) warn(port, choice);
    if (failed.length > 0) await released(failed.map(({ port }) => String(port['network_id'])));
    await committer.tell(context, commits);
    const unsegmented = candidates.filter((_, place) => choices[place] === undefined).map(({ port }) => port);
    return [...unsegmented, ...commits.map(({ latest }) => latest)];
  };

  /** A segment that has gone meanwhile lets nothing be committed; drivers are asked again. */
  const refused = (error: unknown): readonly Committed[] => {
    if (violatedConstraint(error) === SEGMENT_GONE) return [];
    throw error;
  };

  const warn = (port: Resource, choice: BindingChoice) =>
    log.warn('a port is not bound: no mechanism driver binds it to its host', {
      port_id: port['id'],
      network_id: port['network_id'],
      host: port['binding:host_id'],
      vnic_type: port['binding:vnic_type'],
      failures: choice.kind === 'failed' ? choice.failures : [],
    });

  const announce = async (context: Context, candidates: readonly Candidate[]): Promise<void> => {
    if (!callbacks.listens('port', 'before_update')) return;
    for (const { port } of candidates) {
      const resource_id = String(port['id']);
      await callbacks.publish('port', 'before_update', { context, resource_id, original: port, request: {} });
    }
  };

  const bindWritten: Binder['bindWritten'] = async (context, candidates) => {
    const results = new Map(candidates.map(({ port }) => [port['id'], port]));
    let open = candidates.filter(({ port }) => needsBinding(port));
    await announce(context, open);
    for (let rounds = 1; open.length > 0; rounds++) {
      const ended = await round(context, open).catch((error: unknown) => {
        throw macInUse(error, open);
      });
      for (const port of ended) results.set(port['id'], port);
      const left = new Map(open.map((candidate) => [candidate.port['id'], candidate]));
      for (const port of ended) left.delete(port['id']);
      if (left.size === 0) break;
      // With these somebody else was quicker: they are as he left them, or gone.
      const ids = [...left.keys()].map(String);
      const now = await showRows(db.sql, reading, ids);
      for (const port of now) results.set(port['id'], port);
      open = now.filter(needsBinding).map((port) => ({ ...left.get(port['id']), port }));
      if (open.length > 0 && rounds === MOST_ROUNDS) {
        log.error('ports are not bound: they change each time that drivers have been asked', { port_ids: ids, rounds });
        break;
      }
    }
    return candidates.map(({ port }) => results.get(port['id']) ?? port);
  };

  return {
    async bind(context, port_ids) {
      if (port_ids.length === 0) return [];
      const ports = await showRows(db.sql, reading, port_ids);
      return await bindWritten(
        context,
        ports.map((port) => ({ port })),
      );
    },
    bindWritten,
    choose,
    released,
  };
}

const hasEnded = (commits: readonly Committed[], port: Resource): boolean =>
  commits.some(({ latest }) => latest['id'] === port['id']);

/** A whole card brings its own MAC address, which may be another port's. */
function macInUse(error: unknown, candidates: readonly Candidate[]): unknown {
  if (violatedConstraint(error) !== MAC_ONCE) return error;
  const card = candidates.find(({ port }) => port['binding:vnic_type'] === 'direct-physical')?.port ?? {};
  const profile = (card['binding:profile'] ?? {}) as Resource;
  return new MacAddressInUse(String(card['network_id']), String(profile['device_mac_address']));
}
