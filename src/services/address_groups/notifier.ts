/**
 * What agents are told of address groups: their objects, as by Neutron. Where no agent follows those, a change of the addresses is
 * told as one of a security group's members is: agents keep both by the group's id.
 */
import type { Resource } from '#src/lib/plugin.ts';
import type { Notification } from '#src/lib/rpc.ts';

/** Differences with more addresses than this are not told: agents ask for the group. */
const LONGEST = 2000;

const addressesOf = (group: Resource | undefined) => (group?.['addresses'] ?? []) as readonly string[];

/** Notifications about a group that is made, changed or deleted. */
export function groupNotifications(id: string, original?: Resource, latest?: Resource): readonly Notification[] {
  const key = `address_group:${id}`;
  const object = { object: 'AddressGroup', id, key };
  const [before, after] = [addressesOf(original), addressesOf(latest)];
  // An address of a group is of any port: it has no MAC address.
  const beyond = (some: readonly string[], others: ReadonlySet<string>) =>
    some.filter((address) => !others.has(address)).map((address): [string, null] => [address, null]);
  const difference = { added: beyond(after, new Set(before)), removed: beyond(before, new Set(after)) };
  const length = difference.added.length + difference.removed.length;
  if (original === undefined || latest === undefined || length === 0) return [object];
  return [
    object,
    {
      to: { audience: 'address_group', of: [id] },
      topic: 'q-agent-notifier-security_group-update',
      method: 'security_groups_member_updated',
      args: { security_groups: [id], members: length > LONGEST ? {} : { [id]: difference } },
      version: '1.1',
      key,
    },
  ];
}
