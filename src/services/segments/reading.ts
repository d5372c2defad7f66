/** How segments are read. */
import { standardAttributes, type TableSql } from '#src/db/mod.ts';
import { SegmentNotFound } from './errors.ts';

export const SEGMENT_READING: TableSql = {
  from: 'network_segments g',
  key: 'g.id',
  attributes: {
    id: { select: 'g.id', type: 'uuid' },
    network_id: { select: 'g.network_id', type: 'uuid' },
    name: { select: 'g.name', sort: `coalesce(g.name, '')` },
    network_type: { select: 'g.network_type' },
    physical_network: { select: 'g.physical_network', sort: `coalesce(g.physical_network, '')` },
    // GRE keys pass int4; float8 arrives as a number, int8 as text.
    segmentation_id: { select: 'g.segmentation_id::float8', sort: 'coalesce(g.segmentation_id, 0)::float8' },
    ...standardAttributes('g'),
  },
  changed: 'g.updated_at',
  notFound: (id) => new SegmentNotFound(id),
};
