/**
 * Where the tunnels of hosts end (neutron.plugins.ml2.drivers.type_tunnel). An agent says its own address and hears of all others;
 * they hear of it. An endpoint belongs to the host whose topic told of it. There is one of a host for each network type, and
 * one of an address: when the host comes with another address, the old one is deleted; when an address comes with another host
 * it goes over to that one, unless a living agent of the first still says it tunnels from there.
 */
import * as v from 'valibot';
import { violatedConstraint } from '#src/db/mod.ts';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import type { Config } from '#src/lib/config.ts';
import type { Context } from '#src/lib/context.ts';
import type { Database } from '#src/lib/database.ts';
import { InvalidInput } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { formatIp, parseIp } from '#src/lib/net/mod.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import type { MessageNotification, Outbox, RpcMethod } from '#src/lib/rpc.ts';
import { parseArguments } from '#src/rpc/contract.ts';
import { TunnelAddressInUse } from '../errors.ts';
import {
  ENDPOINT_CONSTRAINTS,
  hasL2population,
  type KnownEndpoint,
  replaceEndpoint,
  rivals,
  type TunnelEndpoint,
  tunnelEndpoints,
  tunnelHosts,
  usesAddress,
} from './store.ts';

/** The UDP port of a network type's tunnels; GRE has none. */
const UDP_PORTS: Readonly<Record<string, number | null>> = { vxlan: 4789, geneve: 6081, gre: null };
const TRIES = 5;

const ARGS = v.object({
  tunnel_ip: v.pipe(v.string(), v.maxLength(64)),
  tunnel_type: v.pipe(v.string(), v.maxLength(32)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5000))),
  marker: v.optional(v.pipe(v.string(), v.maxLength(64))),
});

export interface TunnelHost {
  readonly config: Config;
  readonly db: Database;
  readonly outbox: Outbox;
  readonly log: Logger;
}

/** `tunnel_update`: to those that build the tunnel now; `tunnel_delete`: to all, whoever has built it. */
function tunnelMessage(event: 'update' | 'delete', network_type: string, ip_address: string): MessageNotification {
  return {
    to: event === 'update' ? { audience: 'tunnels', of: [network_type] } : 'fanout',
    topic: `q-agent-notifier-tunnel-${event}`,
    method: `tunnel_${event}`,
    args: { tunnel_ip: ip_address, tunnel_type: network_type },
    version: '1.0',
    key: `tunnel:${network_type}:${ip_address}`,
  };
}

/** Whom a new end is told to, by network type. */
export const TUNNEL_AUDIENCES: NonNullable<Plugin['audiences']> = { tunnels: tunnelHosts };

/** `tunnel_sync`: the caller's endpoint, answered with all. */
export function tunnelSync({ config, db, outbox, log }: TunnelHost): RpcMethod {
  const types = config.list('ml2', 'type_drivers');
  const ipVersion = config.integer('ml2', 'overlay_ip_version');
  const downTime = config.integer('DEFAULT', 'agent_down_time');

  const register = async (context: Context, network_type: string, endpoint: KnownEndpoint): Promise<void> => {
    const { host, ip_address } = endpoint;
    const others = (await rivals(db.sql, network_type, endpoint)).filter(
      (other) => other.host !== host || other.ip_address !== ip_address || other.udp_port !== endpoint.udp_port,
    );
    const former = others.find((other) => other.host !== host);
    if (former !== undefined) {
      if (await usesAddress(db.sql, former, downTime)) throw new TunnelAddressInUse(ip_address, former.host, host);
      log.warn('a tunnel endpoint goes over to another host', {
        network_type,
        ip_address,
        from: former.host,
        to: host,
      });
    }
    const left = others.filter((other) => other.ip_address !== ip_address);
    await db.transaction({ label: 'tunnel_sync' }, async (tx) => {
      await replaceEndpoint(tx, network_type, endpoint);
      await outbox.add(tx, context, [
        ...left.map((other) => tunnelMessage('delete', network_type, other.ip_address)),
        tunnelMessage('update', network_type, ip_address),
      ]);
    });
  };

  const isKnown = async (network_type: string, endpoint: KnownEndpoint): Promise<boolean> => {
    const { host, ip_address, udp_port, floods } = endpoint;
    const [known, ...others] = await rivals(db.sql, network_type, endpoint);
    const same = known?.host === host && known.ip_address === ip_address && known.udp_port === udp_port;
    return same && known.floods === floods && others.length === 0;
  };

  return async ({ context, host }, args) => {
    const { tunnel_ip, tunnel_type, limit, marker } = parseArguments(ARGS, 'tunnel_sync', args);
    const ip = parseIp(tunnel_ip);
    if (ip === null) throw new InvalidInput(`tunnel_sync: tunnel_ip: '${tunnel_ip}' is not an IP address`);
    if (ip.version !== ipVersion) {
      throw new InvalidInput(
        `Tunnel IP version does not match ML2 overlay_ip_version: ${ipVersion}, host: ${host}, tunnel_ip: ${tunnel_ip}`,
      );
    }
    const udp_port = UDP_PORTS[tunnel_type];
    if (udp_port === undefined || !types.includes(tunnel_type)) {
      throw new InvalidInput(`Network type value ${tunnel_type} not supported`);
    }
    const floods = !(await hasL2population(db.sql, host));
    const endpoint = { ip_address: formatIp(ip), host, udp_port, floods };
    // What everybody knows already is not told to all again: thousands of agents may come back at once.
    for (let tries = 1; !(await isKnown(tunnel_type, endpoint)); tries++) {
      try {
        await register(context, tunnel_type, endpoint);
      } catch (error) {
        if (tries === TRIES || !ENDPOINT_CONSTRAINTS.has(violatedConstraint(error))) throw error;
      }
    }
    const page = { after: marker ?? '', limit: limit ?? null };
    return { tunnels: (await tunnelEndpoints(db.sql, tunnel_type, page)).map(described) };
  };
}

function described({ ip_address, udp_port, host }: TunnelEndpoint): JsonObject {
  return udp_port === null ? { ip_address, host } : { ip_address, udp_port, host };
}
