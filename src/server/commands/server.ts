/** `nucleon server` */
import { runServer } from '../supervisor/mod.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';

export const serverCommand: Command = {
  summary: 'serve the Networking API and all that belongs to it',
  description: `Starts the API, RPC and background workers. PostgreSQL, an MQTT broker and the Identity service are
embedded where the configuration names none; their data is in [embedded] state_dir (.nucleon).
Without any configuration it listens on http://127.0.0.1:9696.

Signals: SIGTERM and SIGINT drain and stop; SIGHUP reads the configuration again and renews the
workers one by one without refusing a connection. A second SIGTERM or SIGINT stops at once.

Every option can also be set by environment: OS_<GROUP>__<OPTION>, OS_DEFAULT__API_WORKERS=2.`,
  examples: [
    'nucleon server',
    'nucleon server --config-file /etc/neutron/neutron.conf --config-file /etc/neutron/plugins/ml2/ml2_conf.ini',
    'OS_DEFAULT__BIND_PORT=19696 nucleon server',
  ],
  options: CONFIGURATION_OPTIONS,
  positionals: [],
  run: ({ runtime }, args) => runServer(runtime, configurationPaths(args)),
};
