/** The options by which every command finds the configuration. */
import type { ConfigurationPaths } from '../configuration.ts';
import type { Arguments, OptionForm } from './arguments.ts';

export const CONFIGURATION_OPTIONS: Readonly<Record<string, OptionForm>> = {
  'config-file': { value: 'FILE', many: true, help: 'INI file as Neutron has them; may be repeated, later files win' },
  'config-dir': { value: 'FOLDER', many: true, help: 'read all *.conf files of this folder, after the files' },
};

/** The files and folders that the command line names. */
export function configurationPaths(args: Arguments): ConfigurationPaths {
  return { files: args.values('config-file'), folders: args.values('config-dir') };
}
