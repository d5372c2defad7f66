/** `nucleon openrc` */

import { silentLogger } from '#src/lib/log.ts';
import { acceptConfiguration, readConfiguration } from '../configuration.ts';
import { EXIT, StartError } from '../errors.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';

export const openrcCommand: Command = {
  summary: "print the administrator's openrc, for a shell to read",
  description: `Prints what the server wrote to its state directory at its first start: variables for the openstack
client. The password is in it.`,
  examples: ['eval "$(nucleon openrc)"', 'nucleon openrc --clouds > ~/.config/openstack/clouds.yaml'],
  options: { ...CONFIGURATION_OPTIONS, clouds: { help: 'print clouds.yaml instead' } },
  positionals: [],
  async run({ runtime }, args) {
    const configuration = await readConfiguration(runtime, configurationPaths(args));
    acceptConfiguration(configuration, silentLogger);
    const name = args.has('clouds') ? 'clouds.yaml' : 'openrc';
    const file = `${configuration.config.string('embedded', 'state_dir')}/${name}`;
    if (!(await runtime.files.exists(file))) {
      throw new StartError(
        `there is no ${file}: the server writes it at its first start with the embedded identity. ` +
          'Start it once ("nucleon server"), or name the state directory with --config-file or OS_EMBEDDED__STATE_DIR',
      );
    }
    runtime.processes.print((await runtime.files.read(file)).trimEnd());
    return EXIT.ok;
  },
};
