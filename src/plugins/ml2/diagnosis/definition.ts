/** The extension `nucleon-port-diagnosis`, which Neutron does not have: why a port is not bound, or not ACTIVE. */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import {
  BOOLEAN,
  INTEGER,
  listOf,
  objectOf,
  orNull,
  PLAIN_TIME,
  type Schema,
  TEXT,
  TIME,
  UUID,
} from '#src/lib/api/schema.ts';

const LEVEL = objectOf({
  driver: TEXT,
  segment_id: UUID,
  network_type: TEXT,
  physical_network: orNull(TEXT),
  segmentation_id: orNull(INTEGER),
});

const FAILURE = objectOf({ driver: TEXT, segment_id: orNull(UUID), reason: TEXT, failed_at: TIME });

const BINDING = objectOf({
  host: TEXT,
  status: TEXT,
  host_status: orNull(TEXT),
  vif_type: TEXT,
  vnic_type: TEXT,
  levels: listOf(LEVEL),
  failures: listOf(FAILURE),
});

const AGENT = objectOf({ agent_type: TEXT, host: TEXT, alive: BOOLEAN, heartbeat_timestamp: PLAIN_TIME });

/** `host`, `binding`, `admin_state_up`, or an entity that has to report: `L2`, `DHCP`. */
const WAIT = objectOf({ entity: TEXT, reason: TEXT, agents: listOf(AGENT) });

const DIAGNOSIS: Schema = objectOf({
  port_id: UUID,
  status: TEXT,
  admin_state_up: BOOLEAN,
  bindings: listOf(BINDING),
  waits_for: listOf(WAIT),
});

export const PORT_DIAGNOSIS: ExtensionDefinition = {
  alias: 'nucleon-port-diagnosis',
  name: 'Port Diagnosis',
  description: 'Why a port is not bound to its host, and what it waits for while it is not ACTIVE',
  updated: '2026-11-30T00:00:00-00:00',
  member_actions: {
    ports: {
      diagnosis: {
        method: 'GET',
        verb: 'get_port_diagnosis',
        policy: 'get_port_diagnosis',
        response: objectOf({ diagnosis: DIAGNOSIS }),
      },
    },
  },
};
