/**
 * Dynamic segments: made for the ports below a level of a binding, one for each type and physical network of a network, and
 * gone with the last binding on it (neutron.plugins.ml2.managers.TypeManager, `allocate_dynamic_segment`).
 *
 * Who allocates locks the network, so that two find the same one. Who releases locks the segments before it looks for bindings:
 * a binding that comes meanwhile waits for the lock, finds its segment gone, and is tried again.
 */
import type { Database } from '#src/lib/database.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import type { Segment } from '#src/lib/ml2/segment.ts';
import type { TypeManager } from '../managers/type.ts';

export interface DynamicSegments {
  /** The network's segment of that kind, made if there is none. */
  allocate(
    network_id: string,
    wanted: { readonly network_type: string; readonly physical_network: string | null },
  ): Promise<Segment>;
  /** Takes away those of the networks that no binding is on. */
  release(network_ids: readonly string[]): Promise<void>;
}

export function createDynamicSegments(db: Database, types: TypeManager): DynamicSegments {
  return {
    allocate: (network_id, wanted) =>
      db.transaction({ label: 'allocate_dynamic_segment' }, async (tx) => {
        const [locked, [known]] = await Promise.all([
          tx`select id from networks where id = ${network_id} for no key update`,
          tx<Segment[]>`
            select id, network_type, physical_network, segmentation_id::float8 as segmentation_id
            from network_segments
            where network_id = ${network_id} and is_dynamic and network_type = ${wanted.network_type}
              and coalesce(physical_network, '') = coalesce(${wanted.physical_network}, '')`,
        ]);
        if (locked.length === 0) throw new NetworkNotFound(network_id);
        if (known !== undefined) return known;
        const plan = { ...types.planSegment(network_id, 0, wanted), is_dynamic: true };
        const [made] = await types.reserve(tx, [plan]);
        const { id, network_type, physical_network, segmentation_id } = made!;
        return { id, network_type, physical_network, segmentation_id };
      }),

    async release(network_ids) {
      if (network_ids.length === 0) return;
      const ids = network_ids as string[];
      await db.transaction({ label: 'release_dynamic_segments' }, async (tx) => {
        await Promise.all([
          tx`
            select 1 from network_segments where network_id = any(${ids}::uuid[]) and is_dynamic order by id for update`,
          tx`
            delete from network_segments s where s.network_id = any(${ids}::uuid[]) and s.is_dynamic
              and not exists (select from port_binding_levels l where l.segment_id = s.id)`,
        ]);
      });
    },
  };
}
