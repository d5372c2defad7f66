/**
 * Mechanism driver `l2population`: tells hosts behind which tunnel the addresses of a network are, so that they need not flood
 * (neutron.plugins.ml2.drivers.l2pop). It binds nothing, and stands beside a driver that does.
 *
 *   a port becomes ACTIVE    add_fdb_entries to the other hosts of its network
 *   it is DOWN, gone, moved  remove_fdb_entries to them
 *   its addresses change     update_fdb_entries to them
 *   a host wires its first port of a network, or starts again: add_fdb_entries with all the others to that host (`arrivals.ts`)
 *
 * Hosts are those whose agent reports `l2_population` and that have ports on the network. Messages are read when they are sent,
 * for a whole batch at once (`readers.ts`): the hooks only say what has happened. Unlike in Neutron each message of a port has
 * the entry for flooding too, not only the first of a host: a message that comes twice, or in whatever order beside others, does
 * no harm, and there is nothing to count.
 */
import type { MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import { onDelete, onUpdate } from './changes.ts';

export { type Arrival, arrivals } from './arrivals.ts';
export { l2populationSources } from './readers.ts';

export function l2populationMechanismDriver(): MechanismDriver {
  return {
    name: 'l2population',
    update_port_precommit({ original, current, notify }) {
      if (original !== undefined) notify(...onUpdate(original, current));
    },
    delete_port_precommit({ current, notify }) {
      notify(...onDelete(current));
    },
  };
}
