/** How a versioned object is pushed (neutron.api.rpc.handlers.resources_rpc.ResourcesPushRpcApi). */
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { VersionedObjectType } from '#src/lib/rpc.ts';
import { versionedObject } from '#src/rpc/contract.ts';

export const PUSH = { method: 'push', version: '1.1' } as const;

/** What all topics of pushes begin with. */
export const PUSH_TOPIC = 'neutron-vo-';

type ObjectName = Pick<VersionedObjectType, 'name' | 'version'>;

/** `neutron-vo-Port-1.11` */
export const pushTopic = ({ name, version }: ObjectName): string => `${PUSH_TOPIC}${name}-${version}`;

/** The arguments of a push: the object as it is now, or only its id when it is gone. */
export function pushArgs(
  type: ObjectName,
  id: string,
  data: JsonObject | undefined,
): { readonly [name: string]: Json } {
  return {
    resource_list: [versionedObject(type, data ?? { id })],
    event_type: data === undefined ? 'deleted' : 'updated',
  };
}
