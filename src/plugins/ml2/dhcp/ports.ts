/** The ports that DHCP agents have on the networks they serve. */

import { violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Queryable } from '#src/lib/database.ts';
import { NeutronError, PortNotFound } from '#src/lib/errors.ts';
import type { Plugin, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { MacAddressInUse } from '../errors.ts';
import { MAC_ONCE } from '../ports/store.ts';
import { dhcpDeviceId, RESERVED_DHCP_PORT } from './contract.ts';
import { lockService } from './store.ts';

export const DHCP_OWNER = 'network:dhcp';

/** A network, and the host of an agent that serves it or did. */
export interface Service {
  readonly network_id: string;
  readonly host: string;
}

/** What an agent is on a network: as `device_id` has it, where the names of hosts are cut at their first dot, and on which host. */
export interface AgentDevice extends Service {
  readonly device_id: string;
}

export interface AgentPorts {
  /** The ids of the ports that an agent has on a network. */
  of(device: AgentDevice): Promise<readonly string[]>;
  /**
   * Makes the port that an agent has on a network, unless it has one: gives its id. Of several that ask at once for one agent,
   * the first makes it, and the others find it. Undefined: the agent does not serve the network any more.
   */
  make(context: Context, device: AgentDevice, body: Resource): Promise<string | undefined>;
  /** Calls a verb of the core plugin. */
  verb(name: string): Verb;
  /**
   * Leaves the ports of agents that serve the networks no more to the next: they keep their addresses, which those who look
   * for a DHCP server or a resolver have been told.
   */
  reserve(context: Context, services: readonly Service[]): Promise<void>;
}

/** Updates under way at once. */
const AT_ONCE = 4;

export function agentPorts({ db, plugins }: Pick<PluginHost, 'db' | 'plugins'>): AgentPorts {
  const core = (): Plugin => plugins.get('CORE')!;
  const verb = (name: string): Verb => core().verbs[name]!;

  const portsOf = async (wanted: readonly AgentDevice[], sql: Queryable = db.sql) => {
    const rows = await sql.unsafe<{ id: string }[]>(
      `select p.id from json_to_recordset($1::json) as r (network_id uuid, device_id text, host text)
       join ports p on p.network_id = r.network_id and p.device_id = r.device_id
       join port_bindings b on b.port_id = p.id and b.status = 'ACTIVE' and b.host in (r.host, '')
       where p.device_owner = '${DHCP_OWNER}' order by p.id`,
      [wanted as never],
      { prepare: true },
    );
    return rows.map(({ id }) => id);
  };

  return {
    of: (device) => portsOf([device]),
    verb,
    async make(context, device, body) {
      const { together } = core();
      try {
        return await together!({ label: 'create_dhcp_port' }, async (tx, verbs) => {
          // Sent at once, and done in this order: what the lock waited for is seen.
          const [serves, [known]] = await Promise.all([lockService(tx, device), portsOf([device], tx)]);
          if (!serves) return undefined;
          if (known !== undefined) return known;
          const port = (await verbs['create_port']!(context, { parents: {}, body })) as Resource;
          return String(port['id']);
        });
      } catch (error) {
        if (body['mac_address'] === undefined || violatedConstraint(error) !== MAC_ONCE) throw error;
        throw new MacAddressInUse(device.network_id, String(body['mac_address']));
      }
    },
    async reserve(context, services) {
      const wanted = await Promise.all(
        services.map(async ({ network_id, host }) => ({
          network_id,
          host,
          device_id: await dhcpDeviceId(network_id, host),
        })),
      );
      const waiting = [...(await portsOf(wanted))];
      const body: Resource = { device_id: RESERVED_DHCP_PORT };
      const work = async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          try {
            await verb('update_port')(context, { id, parents: {}, body });
          } catch (error) {
            if (!isGone(error)) throw error;
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
  };
}

/** Whether the port has been deleted meanwhile. */
export function isGone(error: unknown): boolean {
  return error instanceof NeutronError && error.type === PortNotFound.type;
}
