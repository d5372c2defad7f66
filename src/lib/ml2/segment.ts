/** Segments as type drivers and mechanism drivers see them. */

/** A stretch of layer 2: one VLAN on one physical network, one VNI, ... */
export interface Segment {
  readonly id: string;
  readonly network_type: string;
  readonly physical_network: string | null;
  readonly segmentation_id: number | null;
}

/** What the caller said of a segment; what is absent is the driver's choice. */
export interface SegmentRequest {
  readonly network_type?: string | null;
  readonly physical_network?: string | null;
  readonly segmentation_id?: number | null;
}

/** A segment without its row yet. */
export type SegmentChoice = Omit<Segment, 'id'>;
