/**
 * Changes of networks, subnets and ports as changes of their objects (neutron.plugins.ml2.ovo_rpc). Each leaves one row in the
 * outbox; whom it concerns is found, and what is told is read, when it is sent.
 */
import type { CallbackPayload, CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { ObjectNotification } from '#src/lib/rpc.ts';
import { PREPARED_HOSTS } from '../ports/reading.ts';

type Former = NonNullable<ObjectNotification['also']>;

/** Who was concerned with the object before the change and may not be any more; `now` is undefined for one that is deleted. */
type FormerlyConcerned = (before: Resource, now: Resource | undefined) => Former;

const HOST = 'binding:host_id';
const groupsOf = (port: Resource | undefined) => (port?.['security_groups'] ?? []) as readonly string[];

/** The host that a port leaves, and those that follow the groups that it leaves. */
const formerOfPort: FormerlyConcerned = (before, now) => {
  const host = before[HOST];
  const prepared = now === undefined ? ((before[PREPARED_HOSTS] ?? []) as readonly string[]) : [];
  const left = groupsOf(before).filter((group) => !groupsOf(now).includes(group));
  return [
    ...(typeof host === 'string' && host !== '' && host !== now?.[HOST] ? [{ host }] : []),
    ...(prepared.length > 0 ? [{ hosts: prepared }] : []),
    ...(left.length > 0 ? [{ audience: 'security_group_remote_objects', of: left }] : []),
  ];
};

/** A change of what a port's object says beside the port itself; with the bindings that it had before. */
export const portChanged = (id: string, bindings: readonly { readonly host: string }[]): ObjectNotification => ({
  object: 'Port',
  id,
  key: `port:${id}`,
  also: [{ hosts: bindings.map(({ host }) => host).filter((host) => host !== '') }],
});

const formerOfSubnet: FormerlyConcerned = (before, now) =>
  now === undefined ? ['network', 'dhcp'].map((audience) => ({ audience, of: [String(before['network_id'])] })) : [];

const OBJECTS: Readonly<Record<string, { readonly object: string; readonly former: FormerlyConcerned }>> = {
  // Nobody has ports on a network that is deleted.
  network: { object: 'Network', former: () => [] },
  subnet: { object: 'Subnet', former: formerOfSubnet },
  port: { object: 'Port', former: formerOfPort },
};

/** Leaves the changes from now on. */
export function pushChanges(callbacks: CallbackRegistry): void {
  for (const [kind, { object, former }] of Object.entries(OBJECTS)) {
    const tell = ({ resource_id: id, original, latest, notify }: CallbackPayload<Resource>) => {
      if (original !== undefined && latest !== undefined && isSame(original, latest)) return;
      const also = original === undefined ? [] : former(original, latest);
      notify?.({ object, id, key: `${kind}:${id}`, ...(also.length > 0 ? { also } : {}) });
    };
    for (const event of ['precommit_create', 'precommit_update', 'precommit_delete'] as const) {
      callbacks.subscribe(kind, event, (payload) => tell(payload as CallbackPayload<Resource>));
    }
  }
}

const isSame = (a: Resource, b: Resource): boolean => JSON.stringify(a) === JSON.stringify(b);
