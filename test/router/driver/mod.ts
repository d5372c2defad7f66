/**
 * ML2 with a mechanism driver that fails behind the commit where the test says so. What it is told by lies beside the modules, which
 * the test and the server may load twice.
 */
import type { MechanismContext, MechanismDriver } from '#src/lib/ml2/mechanism_driver.ts';
import type { PluginModule } from '#src/lib/plugin.ts';
import { manageMechanisms } from '#src/plugins/ml2/managers/mechanism.ts';
import { createMl2 } from '#src/plugins/ml2/mod.ts';
import { failure } from './failure.ts';

const failing = ({ current }: MechanismContext): void => {
  const { at, left } = failure();
  if (at === undefined || at !== (current['device_owner'] ?? current['name'])) return;
  if (left > 0) failure().left -= 1;
  else throw new Error(`no ${at} today`);
};

const driver: MechanismDriver = {
  name: 'failing',
  create_port_postcommit: failing,
  create_network_postcommit: failing,
};

export default {
  create: (host) => createMl2(host, manageMechanisms([driver], host.log)),
} satisfies PluginModule;
