/**
 * Port diagnosis, for administrators: `GET /v2.0/ports/{id}/diagnosis` tells why drivers did not bind a port, and what keeps it
 * from being ACTIVE: who has to report, and whether he can.
 */
import { PortNotFound } from '#src/lib/errors.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { PluginHost, Verb } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import { ADMIN, projectPolicies } from '#src/policy/mod.ts';
import type { MechanismManager } from '../managers/mechanism.ts';
import { portScope } from '../scope.ts';
import { PORT_DIAGNOSIS } from './definition.ts';
import { readFacts } from './store.ts';
import { waitsFor } from './waits.ts';

export function diagnosis({
  config,
  db,
  mechanisms,
}: PluginHost & { readonly mechanisms: MechanismManager }): PluginPart {
  const downTime = config.integer('DEFAULT', 'agent_down_time');

  const get_port_diagnosis: Verb = async (context, { id = '' }) => {
    const facts = isUuid(id) ? await readFacts(db.sql, id, downTime, portScope(context)) : undefined;
    if (facts === undefined) throw new PortNotFound(id);
    const { status, admin_state_up, bindings } = facts;
    const waits_for = waitsFor(facts, mechanisms.drivers);
    return { diagnosis: { port_id: id.toLowerCase(), status, admin_state_up, bindings, waits_for } };
  };

  return {
    extensions: [PORT_DIAGNOSIS],
    policies: projectPolicies({ get_port_diagnosis: ADMIN }),
    verbs: { get_port_diagnosis },
  };
}
