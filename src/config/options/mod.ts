/**
 * Every option that is known: Neutron's by their own names, those of the libraries that a neutron.conf also holds, and
 * ours. Plugins add theirs when the configuration is loaded.
 */
import type { OptionSpec } from '#src/lib/config.ts';
import { backendOptions } from './backends.ts';
import { clientOptions } from './clients.ts';
import { formerOptions } from './former.ts';
import { identityOptions } from './identity.ts';
import { l2AgentOptions } from './l2_agents.ts';
import { ml2Options } from './ml2.ts';
import { neutronAgentOptions } from './neutron_agents.ts';
import { neutronServerOptions } from './neutron_server.ts';
import { osloOptions } from './oslo.ts';
import { ovnOptions } from './ovn.ts';
import { quotaOptions } from './quotas.ts';
import { serverOptions } from './server.ts';
import { serviceOptions } from './services.ts';

export const allOptions: readonly OptionSpec[] = [
  ...serverOptions,
  ...backendOptions,
  ...identityOptions,
  ...neutronServerOptions,
  ...ml2Options,
  ...quotaOptions,
  ...clientOptions,
  ...serviceOptions,
  ...neutronAgentOptions,
  ...l2AgentOptions,
  ...ovnOptions,
  ...osloOptions,
  ...formerOptions,
];
