/** `nucleon config check` */
import { checkConfig } from '#src/config/mod.ts';
import { readConfiguration } from '../configuration.ts';
import { EXIT } from '../errors.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';

export const configCheckCommand: Command = {
  summary: 'read the configuration and say what is wrong with it',
  description: `Lists what cannot be used, what is unknown (with the nearest known name) and what has no effect here,
then every option that is set and where. Secrets are not shown. Exit code 0: a server would start with
it; 78: it would not.`,
  examples: ['nucleon config check --config-file /etc/neutron/neutron.conf'],
  options: CONFIGURATION_OPTIONS,
  positionals: [],
  async run({ runtime }, args) {
    const { ok, lines } = checkConfig(await readConfiguration(runtime, configurationPaths(args)));
    for (const line of lines) runtime.processes.print(line);
    return ok ? EXIT.ok : EXIT.configuration;
  },
};
