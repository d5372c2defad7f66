/** The actions on a pool's prefixes: adding, removing, and taking in the subnets of a network (`onboarding`). */
import { bumpRevisions, reviseRow } from '#src/db/mod.ts';
import { rangesMeet, subtractRanges } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { InvalidInput, NetworkNotFound, NotAuthorized } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import { formatCidr, type IpVersion } from '#src/lib/net/mod.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { IllegalSubnetPoolPrefixUpdate, IllegalSubnetPoolUpdate } from './errors.ts';
import type { PoolLifecycle } from './lifecycle.ts';
import { compactPrefixes, namedPrefixes, readCidrs } from './rules.ts';
import {
  lockSubnets,
  moveSubnets,
  type NetworkSubnet,
  prefixesInUse,
  replacePrefixes,
  SUBNETPOOL_COLUMNS,
} from './store.ts';

/** Gives a pool these prefixes, which hold those that it has. */
type Grow = (tx: Transaction, context: Context, pool: Resource, prefixes: readonly string[]) => Promise<boolean>;

const versionOf = (pool: Resource) => pool['ip_version'] as IpVersion;
const prefixesOf = (pool: Resource) => pool['prefixes'] as readonly string[];

export function prefixVerbs(
  host: PluginHost,
  lifecycle: PoolLifecycle,
  grow: Grow,
): Readonly<Record<'add_prefixes' | 'remove_prefixes' | 'onboard_network_subnets', Verb>> {
  /** The network of an onboarding, which must be the caller's own. */
  const ownNetwork = async (context: Context, named: unknown): Promise<string> => {
    if (typeof named !== 'string') throw new InvalidInput('network_id must be specified');
    if (!isUuid(named)) throw new NetworkNotFound(named);
    const read = host.plugins.get('CORE')?.verbs['get_network'];
    if (read === undefined) throw new NetworkNotFound(named);
    const network = (await read(context, { id: named, parents: {}, fields: ['id', 'project_id'] })) as Resource;
    if (!context.is_admin && network['project_id'] !== context.project_id) throw new NotAuthorized();
    return named;
  };

  /** Takes the subnets in; they may overlap nothing that the pool has given away. */
  const takeIn = async (tx: Transaction, context: Context, pool: Resource, subnets: readonly NetworkSubnet[]) => {
    const id = String(pool['id']);
    const cidrs = subnets.map(({ cidr }) => cidr);
    if (await prefixesInUse(tx, id, cidrs)) {
      throw new IllegalSubnetPoolUpdate(
        `${cidrs.join(', ')}: other subnets of subnet pool ${id} have addresses of these subnets`,
      );
    }
    const overlapping = readCidrs(cidrs).find((cidr, at, all) => rangesMeet([cidr], all.slice(at + 1)));
    if (overlapping !== undefined) {
      throw new IllegalSubnetPoolUpdate(`${formatCidr(overlapping)} overlaps with another subnet of the network`);
    }
    await grow(tx, context, pool, [...prefixesOf(pool), ...cidrs]);
    await moveSubnets(
      tx,
      id,
      subnets.map((subnet) => subnet.id),
    );
  };

  return {
    async add_prefixes(context, call) {
      const added = namedPrefixes(call.body).map(formatCidr);
      const pool = await lifecycle.update(context, call, (tx, original) =>
        grow(tx, context, original, [...prefixesOf(original), ...added]),
      );
      return { prefixes: prefixesOf(pool) };
    },

    async remove_prefixes(context, call) {
      const removed = namedPrefixes(call.body);
      const pool = await lifecycle.update(context, call, async (tx, original) => {
        const id = String(original['id']);
        const current = readCidrs(prefixesOf(original));
        const going = removed.filter(({ version }) => version === versionOf(original));
        if (!rangesMeet(current, going)) return false;
        if (await prefixesInUse(tx, id, going.map(formatCidr))) {
          throw new IllegalSubnetPoolPrefixUpdate('a subnet has addresses of the prefixes that are to be removed');
        }
        await replacePrefixes(tx, id, compactPrefixes(versionOf(original), subtractRanges(current, going)));
        await reviseRow(tx, 'subnetpools', id, SUBNETPOOL_COLUMNS, {});
        return true;
      });
      return { prefixes: prefixesOf(pool) };
    },

    async onboard_network_subnets(context, call) {
      const network_id = await ownNetwork(context, call.body?.['network_id']);
      const { ip_version } = call.original ?? (await lifecycle.show(context, call.id ?? '', ['id', 'ip_version']));
      let subnets: readonly NetworkSubnet[] = [];
      const work = async (tx: Transaction, pool: Resource) => {
        if (subnets.length === 0) return false;
        await takeIn(tx, context, pool, subnets);
        await bumpRevisions(tx, 'networks', [network_id]);
        return true;
      };
      // The network, its subnets, the pool: the order in which who makes a subnet locks them.
      const first = async (tx: Transaction) => {
        subnets = await lockSubnets(tx, network_id, ip_version as IpVersion);
      };
      const pool = await lifecycle.update(context, withoutBody(call), work, first);
      const { address_scope_id } = pool;
      if (address_scope_id !== null && subnets.length > 0) {
        const payload = { context, resource_id: String(pool['id']), latest: pool };
        await host.callbacks.publish('subnetpool_address_scope', 'after_update', payload);
      }
      return subnets;
    },
  };
}

/** The body is no description of the pool. */
function withoutBody({ body: _, ...call }: Call): Call {
  return call;
}
