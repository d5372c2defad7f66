/**
 * Agents that keep objects do not ask for a device's details: they pull the port by its id when its device appears. Of a port that is
 * on many hosts at once this is the asking that makes it be on the host; of all others it costs nothing.
 */
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { adminContext } from '#src/lib/context.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { VersionedObjectType } from '#src/lib/rpc.ts';
import type { Replicas } from '../replicas/mod.ts';

export interface AskedHost {
  readonly replicas: Pick<Replicas, 'wanted' | 'bind'>;
}

/** Ids in one question at most; who names more is not asking for a device. */
const MOST = 1000;

function idsOf({ id }: JsonObject): readonly string[] {
  const ids = Array.isArray(id) ? id : [id];
  return ids.length > MOST ? [] : ids.filter((one): one is string => typeof one === 'string' && isUuid(one));
}

/** The type, with ports that come to be on the host that asks for them by id. */
export function askedForPorts(type: VersionedObjectType, { replicas }: AskedHost): VersionedObjectType {
  return {
    ...type,
    async find(sql, host, filters, page) {
      const found = await type.find(sql, host, filters, page);
      const ids = idsOf(filters);
      if (found.length > 0 || ids.length === 0) return found;
      const places = await replicas.wanted(ids.map((device) => ({ host, device: device.toLowerCase() })));
      if (places.length === 0) return found;
      await replicas.bind(adminContext(), places);
      return await type.find(sql, host, filters, page);
    },
  };
}
