/** Which address of which port a floating IP leads to, and by which router (neutron.db.l3_db, `_get_assoc_data`). */
import type { Context } from '#src/lib/context.ts';
import { BadRequest, PortNotFound } from '#src/lib/errors.ts';
import { canonicalIp, parseIp } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { ExternalGatewayForFloatingIPNotFound, FloatingIPPortAlreadyAssociated } from '../errors.ts';
import type { Inside, Target } from './store.ts';

/** Columns of a floating IP's row. */
export interface Association {
  readonly fixed_port_id: string | null;
  readonly fixed_ip_address: string | null;
  readonly router_id: string | null;
}

export const NOWHERE: Association = { fixed_port_id: null, fixed_ip_address: null, router_id: null };

const refuse = (reason: string) => new BadRequest('floatingip', reason);

/** Throws for an address without a port. */
export function checkRequest(body: Resource): void {
  const { port_id, fixed_ip_address } = body;
  if (typeof fixed_ip_address === 'string' && typeof port_id !== 'string') {
    throw refuse('fixed_ip_address cannot be specified without a port_id');
  }
}

/** The address asked for, or the only one there is. */
function choose({ port_id, addresses }: Target, asked: string | undefined): Inside {
  if (asked !== undefined) {
    const ip = parseIp(asked);
    if (ip?.version !== 4) {
      throw refuse(`Cannot process floating IP association with ${asked}, since that is not an IPv4 address`);
    }
    const found = addresses.find(({ ip_address }) => ip_address === canonicalIp(asked));
    if (found === undefined) throw refuse(`Port ${port_id} does not have fixed ip ${asked}`);
    return found;
  }
  const [first, second] = addresses.filter(({ ip_address }) => parseIp(ip_address)?.version === 4);
  if (first === undefined) throw refuse(`Cannot add floating IP to port ${port_id} that has no fixed IPv4 addresses`);
  if (second !== undefined) {
    throw refuse(
      `Port ${port_id} has multiple fixed IPv4 addresses. Must provide a specific IPv4 address when assigning a floating IP`,
    );
  }
  return first;
}

/** Where a floating IP leads, which is asked to lead to the port; throws if it cannot. */
export function associate(
  context: Context,
  floatingip: {
    readonly id: string;
    readonly project_id: string;
    readonly network_id: string;
    readonly address: string;
  },
  { port_id, fixed_ip_address }: { readonly port_id: string; readonly fixed_ip_address?: string | null },
  target: Target | undefined,
): Association {
  if (target === undefined) throw new PortNotFound(port_id);
  if (target.project_id !== floatingip.project_id && !context.is_admin) {
    throw refuse(
      `Cannot process floating IP association with Port ${port_id}, since that port is owned by a different project`,
    );
  }
  if (target.device_owner === 'network:dhcp') throw refuse(`Port ${port_id} is unable to be assigned a floating IP`);
  const { subnet_id, ip_address, router_id, taken } = choose(target, fixed_ip_address ?? undefined);
  if (router_id === null) {
    throw new ExternalGatewayForFloatingIPNotFound(floatingip.network_id, subnet_id, port_id);
  }
  if (taken) {
    throw new FloatingIPPortAlreadyAssociated(
      floatingip.id,
      floatingip.address,
      port_id,
      ip_address,
      floatingip.network_id,
    );
  }
  return { fixed_port_id: port_id, fixed_ip_address: ip_address, router_id };
}
