/** The errors of segments (neutron.services.segments.exceptions). */
import { defineError } from '#src/lib/errors.ts';

export const SegmentNotFound = defineError('SegmentNotFound', 404, (id: string) => `Segment ${id} could not be found.`);
export const SegmentInUse = defineError(
  'SegmentInUse',
  409,
  (id: string, users: readonly string[]) =>
    `Segment '${id}' cannot be deleted: it is still associated with ${users.join(', and with ')}.`,
);
export const SubnetsNotAllAssociatedWithSegments = defineError(
  'SubnetsNotAllAssociatedWithSegments',
  400,
  (network: string) =>
    `segment_id: of the subnets on network '${network}' either all are associated with segments or none is.`,
);
export const SubnetSegmentAssociationChangeNotAllowed = defineError(
  'SubnetSegmentAssociationChangeNotAllowed',
  400,
  () => 'segment_id: a subnet that is associated with a segment stays so.',
);
export const NoUpdateSubnetWhenMultipleSegmentsOnNetwork = defineError(
  'NoUpdateSubnetWhenMultipleSegmentsOnNetwork',
  400,
  (network: string) =>
    `segment_id: a subnet can be associated later only where its network has one segment; '${network}' has several.`,
);
export const NetworkIdsDontMatch = defineError(
  'NetworkIdsDontMatch',
  400,
  (network: string, segment: string) =>
    `segment_id: segment '${segment}' is not one of the subnet's network '${network}'.`,
);
export const SubnetCantAssociateToDynamicSegment = defineError(
  'SubnetCantAssociateToDynamicSegment',
  400,
  (segment: string) => `segment_id: segment '${segment}' is dynamic; a subnet cannot be associated with it.`,
);
