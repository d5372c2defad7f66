/**
 * The attribute `segment_id` of subnets, and what it makes of their network: where subnets are on segments, all are, and the
 * network is no longer one stretch of layer 2 (neutron.db.ipam_backend_mixin, `_validate_segment`).
 */
import type { Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { AttributeExtension, Written } from '#src/lib/ml2/extension_driver.ts';
import {
  NetworkIdsDontMatch,
  NoUpdateSubnetWhenMultipleSegmentsOnNetwork,
  SegmentNotFound,
  SubnetCantAssociateToDynamicSegment,
  SubnetSegmentAssociationChangeNotAllowed,
  SubnetsNotAllAssociatedWithSegments,
} from './errors.ts';

const NAME = 'segment_id';

const segmentOf = ({ body }: Pick<Written, 'body'>): string | null => (body[NAME] ?? null) as string | null;
const networkOf = ({ row, original }: Written): string => String((original ?? row)?.['network_id']);

interface Wanted {
  readonly subnet_id: string;
  readonly network_id: string;
  readonly segment_id: string;
}

/** Throws for a segment that is none, of another network, or dynamic. */
async function checkSegments(tx: Transaction, wanted: readonly Wanted[]): Promise<void> {
  for (const { segment_id } of wanted) if (!isUuid(segment_id)) throw new SegmentNotFound(segment_id);
  // Locked against deletion until the subnets refer to them.
  const segments = await tx<{ id: string; network_id: string; is_dynamic: boolean }[]>`
    select id, network_id, is_dynamic from network_segments
    where id = any(${wanted.map(({ segment_id }) => segment_id)}::uuid[]) order by id for key share`;
  for (const { segment_id, network_id } of wanted) {
    const segment = segments.find(({ id }) => id === segment_id.toLowerCase());
    if (segment === undefined) throw new SegmentNotFound(segment_id);
    if (segment.network_id !== network_id) throw new NetworkIdsDontMatch(network_id, segment_id);
    if (segment.is_dynamic) throw new SubnetCantAssociateToDynamicSegment(segment_id);
  }
}

/** Throws where some subnets of a network are on segments and others are not; those for routed addresses do not count. */
async function checkAllOrNone(tx: Transaction, networks: readonly string[]): Promise<void> {
  const [mixed] = await tx<{ network_id: string }[]>`
    select network_id from subnets
    where network_id = any(${networks}::uuid[]) and 'network:routed' <> all(service_types)
    group by network_id having count(segment_id) between 1 and count(*) - 1 limit 1`;
  if (mixed !== undefined) throw new SubnetsNotAllAssociatedWithSegments(mixed.network_id);
}

/** New subnets are written without their segment, so that one that cannot be is refused by name and not by a foreign key. */
async function storeNew(tx: Transaction, written: readonly Written[]): Promise<boolean> {
  const networks = written.map(networkOf);
  const wanted = written.flatMap((subnet, index): Wanted[] => {
    const segment_id = segmentOf(subnet);
    return segment_id === null ? [] : [{ subnet_id: subnet.id, network_id: networks[index]!, segment_id }];
  });
  if (wanted.length > 0) {
    await checkSegments(tx, wanted);
    await tx`
      update subnets s set segment_id = r.segment_id
      from jsonb_to_recordset(${tx.json(wanted as never)}) as r (subnet_id uuid, segment_id uuid)
      where s.id = r.subnet_id`;
  }
  await checkAllOrNone(tx, networks);
  return wanted.length === 0;
}

/** What Neutron allows of a change: the only subnet of a network of one segment may be put on it. */
async function checkChange(tx: Transaction, written: Written): Promise<void> {
  const segment_id = segmentOf(written);
  if (!(NAME in written.body) || segment_id === written.original?.[NAME]) return;
  const network_id = networkOf(written);
  const [found] = await tx<{ subnets: number; associated: number; segments: number }[]>`
    select count(*)::int as subnets, count(segment_id)::int as associated,
      (select count(*)::int from network_segments where network_id = ${network_id}) as segments
    from subnets where network_id = ${network_id} and 'network:routed' <> all(service_types)`;
  const { subnets, associated, segments } = found ?? { subnets: 0, associated: 0, segments: 0 };
  if (subnets > 1) throw new SubnetsNotAllAssociatedWithSegments(network_id);
  if (associated > 0) throw new SubnetSegmentAssociationChangeNotAllowed();
  if (segments > 1) throw new NoUpdateSubnetWhenMultipleSegmentsOnNetwork(network_id);
  if (segment_id !== null) await checkSegments(tx, [{ subnet_id: written.id, network_id, segment_id }]);
}

export const segmentsOfSubnets: AttributeExtension = {
  attributes: { [NAME]: { select: `s.${NAME}`, type: 'uuid', sort: `coalesce(s.${NAME}::text, '')` } },
  columns: { [NAME]: 'uuid' },
  create: () => ({ [NAME]: null }),
  update: ({ body }) => (NAME in body ? { [NAME]: body[NAME] } : {}),
  async store(tx, _context, written) {
    const changed = written.filter(({ original }) => original !== undefined);
    if (changed.length === 0) return await storeNew(tx, written);
    for (const subnet of changed) await checkChange(tx, subnet);
    return true;
  },
};

export const adjacencyOfNetworks: AttributeExtension = {
  attributes: {
    l2_adjacency: {
      select: `not exists (select 1 from subnets s where s.network_id = n.id and s.${NAME} is not null)`,
      type: 'boolean',
    },
  },
};
