/** Which changes of ports Nova is told of, and how (neutron.notifiers.nova). */
import type { Resource } from '#src/lib/plugin.ts';

export interface NovaEvent {
  readonly server_uuid: string;
  readonly name: 'network-vif-plugged' | 'network-vif-unplugged' | 'network-vif-deleted' | 'network-changed';
  readonly status: 'completed' | 'failed' | null;
  readonly tag: string;
}

/** A UUID in any of the ways that Python reads one; PostgreSQL reads the expression, too. */
export const UUID_LIKE = /^(urn:)?(uuid:)?\{?[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\}?$/i;

/** The instance that the port belongs to, if it is one's. */
function serverOf(port: Resource): string | undefined {
  const server = String(port['device_id'] ?? '');
  return String(port['device_owner']).startsWith('compute:') && UUID_LIKE.test(server) ? server : undefined;
}

function event(port: Resource, name: NovaEvent['name'], status: NovaEvent['status'] = null): readonly NovaEvent[] {
  const server_uuid = serverOf(port);
  return server_uuid === undefined ? [] : [{ server_uuid, name, status, tag: String(port['id']) }];
}

const UNWIRED: ReadonlySet<unknown> = new Set(['DOWN', 'BUILD']);

/** Where the port is about to move, as Nova has noted it. */
const destination = (port: Resource): unknown =>
  (port['binding:profile'] as Readonly<Record<string, unknown>> | null | undefined)?.['migrating_to'];

/**
 * A change of status. While the port is being migrated only its L2 agent's word counts: what the DHCP agent has done is not what
 * Nova waits for.
 */
export function statusEvents(original: Resource, latest: Resource, provisionedBy?: unknown): readonly NovaEvent[] {
  const [was, is] = [original['status'], latest['status']];
  if (was === 'ACTIVE' && is === 'DOWN') return event(latest, 'network-vif-unplugged', 'completed');
  if (!UNWIRED.has(was) || (is !== 'ACTIVE' && is !== 'ERROR')) return [];
  if (provisionedBy === 'DHCP' && typeof destination(latest) === 'string') return [];
  return event(latest, 'network-vif-plugged', is === 'ACTIVE' ? 'completed' : 'failed');
}

/** The port is wired on a host that a migration has prepared. */
export const preparedEvents = (port: Resource): readonly NovaEvent[] => event(port, 'network-vif-plugged', 'completed');

/** Somebody has updated the port. */
export const changeEvents = (port: Resource): readonly NovaEvent[] => event(port, 'network-changed');

export const deletionEvents = (port: Resource): readonly NovaEvent[] => event(port, 'network-vif-deleted');
