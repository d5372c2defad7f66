/**
 * Ports of routers and floating IPs are not to be changed or deleted but by their routers and floating IPs, and what a
 * floating IP leads to stays there as long as it does (neutron.db.l3_db, `prevent_l3_port_deletion`). Asked inside the
 * transactions of ports, under their locks; of ordinary ports it costs no statement.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Transaction } from '#src/lib/database.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { DeviceIDNotOwnedByTenant, ServicePortInUse } from '../errors.ts';
import { addressesWithFloatingIps, FLOATING_OWNER } from '../floatingips/store.ts';
import type { RouterHost } from '../host.ts';
import { INTERFACE_OWNERS } from '../routers/store.ts';

/** Read along with ports, and not shown: whether floating IPs lead to it. */
export const LED_TO = 'has_floatingips';

export const portAttributes: AttributeExtension = {
  attributes: {
    [LED_TO]: { select: 'exists (select 1 from floatingips l where l.fixed_port_id = p.id)', sort: false },
  },
  internal: [LED_TO],
};

type Payload = CallbackPayload<Resource>;

/** Whether the port may be a router's or a floating IP's: only of those it is asked whether it is. */
const isOfL3 = ({ device_owner }: Resource): boolean =>
  typeof device_owner === 'string' && device_owner.startsWith('network:') && device_owner !== 'network:dhcp';

const addresses = (port: Resource): readonly string[] =>
  ((port['fixed_ips'] ?? []) as readonly { readonly ip_address: string }[]).map(({ ip_address }) => ip_address);

const changes = (name: string, original: Resource, latest: Resource): boolean => original[name] !== latest[name];

async function isOfRouter(tx: Transaction, port_id: string): Promise<boolean> {
  return (await tx`select 1 from router_ports where port_id = ${port_id}`).length > 0;
}

/** Who makes a port a router's names a router of the port's project; whether there is another's is not told. */
async function refuseForeignRouter(tx: Transaction, { context }: Payload, port: Resource): Promise<void> {
  const { device_owner = '', device_id = '', project_id = '' } = port as Readonly<Record<string, string>>;
  if (context.is_admin || !INTERFACE_OWNERS.includes(device_owner) || !isUuid(device_id)) return;
  const own = await tx`select 1 from routers where id = ${device_id} and project_id = ${project_id}`;
  if (own.length === 0) throw new DeviceIDNotOwnedByTenant(device_id);
}

/** Subscribes to the life of ports. */
export function guardPorts({ callbacks, acting }: RouterHost): void {
  const guard = (
    event: 'precommit_create' | 'precommit_update' | 'precommit_delete',
    check: (tx: Transaction, payload: Payload) => Promise<void>,
  ) =>
    callbacks.subscribe('port', event, async (payload) => {
      if (payload.tx !== undefined && !acting.is(payload.context)) await check(payload.tx, payload as Payload);
    });

  guard('precommit_create', (tx, payload) => refuseForeignRouter(tx, payload, payload.latest ?? {}));

  guard('precommit_update', async (tx, payload) => {
    const { resource_id: id, original = {}, latest = {} } = payload;
    const moved = String(addresses(original)) !== String(addresses(latest));
    const renamed = ['device_id', 'device_owner'].some((name) => changes(name, original, latest));
    if (renamed) await refuseForeignRouter(tx, payload, latest);
    const inside =
      INTERFACE_OWNERS.includes(String(original['device_owner'])) ||
      SERVICES.includes(String(original['device_owner']));
    if (((moved && inside) || (renamed && isOfL3(original))) && (await isOfRouter(tx, id))) {
      throw new BadRequest(
        'port',
        moved
          ? `The addresses of port ${id} are a router's: they cannot be updated by way of the port`
          : `Port ${id} is a router's: it cannot become another device's`,
      );
    }
    if (moved && original[LED_TO] === true) {
      const kept = new Set(addresses(latest));
      const led = await addressesWithFloatingIps(tx, id);
      if (led.some((address) => !kept.has(address))) {
        throw new BadRequest(
          'port',
          `Cannot update the fixed_ips of the port ${id}, because its original fixed_ip has been associated to a floating ip`,
        );
      }
    }
  });

  guard('precommit_delete', async (tx, { resource_id: id, original = {} }) => {
    if (!isOfL3(original)) return;
    const { device_owner } = original;
    const used =
      device_owner === FLOATING_OWNER
        ? (await tx`select 1 from floatingips where floating_port_id = ${id}`).length > 0
        : await isOfRouter(tx, id);
    if (used) throw new ServicePortInUse(id, `has device owner ${device_owner}`);
  });
}

/** Ports of routers that are neither gateways nor on networks of projects. */
const SERVICES: readonly string[] = ['network:router_ha_interface', 'network:router_centralized_snat'];
