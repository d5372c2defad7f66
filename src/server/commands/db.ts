/** `nucleon db upgrade|current|check` */
import type { MigrationState } from '#src/db/mod.ts';
import { EXIT } from '../errors.ts';
import { databaseState, upgradeDatabase } from '../migrations.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';
import { withConfiguredDatabase } from './database.ts';

const common = { options: CONFIGURATION_OPTIONS, positionals: [] } as const;
const WHICH = `The database is that of [database] connection, or the embedded one (started for the moment if no server
runs on its state directory).`;

export const dbUpgradeCommand: Command = {
  ...common,
  summary: 'bring the database up to date',
  description: `Applies the migrations that are missing, one process at a time however many ask. A server does the same
when it starts. ${WHICH}`,
  examples: ['nucleon db upgrade --config-file /etc/neutron/neutron.conf'],
  run: ({ runtime }, args) =>
    withConfiguredDatabase(runtime, configurationPaths(args), async (options) => {
      const applied = await upgradeDatabase(options);
      for (const name of applied) runtime.processes.print(`applied ${name}`);
      if (applied.length === 0) runtime.processes.print('the database is up to date');
      return EXIT.ok;
    }),
};

export const dbCurrentCommand: Command = {
  ...common,
  summary: 'say which migrations the database has',
  description: WHICH,
  run: ({ runtime }, args) =>
    withConfiguredDatabase(runtime, configurationPaths(args), async (options) => {
      for (const state of await databaseState(options)) {
        runtime.processes.print(`${state.set}: ${state.applied.at(-1) ?? 'empty'} (${counted(state)})`);
      }
      return EXIT.ok;
    }),
};

export const dbCheckCommand: Command = {
  ...common,
  summary: 'check that the database is up to date',
  description: `Exit code 0: every migration is applied; 1: some are missing, or the database is of a newer release.
${WHICH}`,
  run: ({ runtime }, args) =>
    withConfiguredDatabase(runtime, configurationPaths(args), async (options) => {
      const states = await databaseState(options);
      for (const { set, pending, unknown } of states) {
        for (const name of pending) runtime.processes.print(`missing ${set}/${name}`);
        for (const name of unknown) runtime.processes.print(`of a newer release: ${set}/${name}`);
      }
      const good = states.every(({ pending, unknown }) => pending.length === 0 && unknown.length === 0);
      if (good) runtime.processes.print('the database is up to date');
      return good ? EXIT.ok : EXIT.failure;
    }),
};

function counted({ applied, pending, unknown }: MigrationState): string {
  const parts = [`${applied.length} applied`, `${pending.length} missing`];
  if (unknown.length > 0) parts.push(`${unknown.length} of a newer release`);
  return parts.join(', ');
}
