/**
 * The services that a configuration leaves open. Each is replaced by an external one through configuration alone; the
 * embedded ones end up as options (`[database] connection`, `[mqtt] url` ...) set over all else, so that no other code knows.
 */
import { databaseUrl } from '#src/config/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { ServerRuntime } from '#src/lib/runtime.ts';
import { attempt } from '../errors.ts';
import { brokerAccount } from './broker_account.ts';
import { choosePorts, type PortRequest } from './ports.ts';
import { type EmbeddedPostgres, preparePostgres } from './postgres.ts';
import type { StateDirectory } from './state_directory.ts';

export interface Option {
  readonly group: string;
  readonly name: string;
  readonly value: string;
}

export interface EmbeddedServices {
  /** Undefined where `[database] connection` names one. */
  readonly postgres?: EmbeddedPostgres;
  /** Whether the broker is ours to run: `[mqtt] url` names none. */
  readonly broker: boolean;
  readonly options: readonly Option[];
}

/** Which services are ours to run. */
export function embeddedServices(config: Config): { readonly postgres: boolean; readonly broker: boolean } {
  return { postgres: databaseUrl(config) === null, broker: config.optionalString('mqtt', 'url') === null };
}

export interface PrepareServicesOptions {
  readonly runtime: ServerRuntime;
  readonly config: Config;
  readonly state: StateDirectory;
  /** Connections that the database must have room for. */
  readonly maxConnections: number;
  readonly log: Logger;
}

/** Chooses ports, makes accounts and the database cluster; starts nothing. */
export async function prepareServices(options: PrepareServicesOptions): Promise<EmbeddedServices> {
  const { runtime, config, state, maxConnections, log } = options;
  const embedded = embeddedServices(config);
  const host = config.string('embedded', 'mqtt_host');
  const webSocket = !(config.isSet('embedded', 'mqtt_ws_port') && config.integer('embedded', 'mqtt_ws_port') === 0);
  const requests: readonly PortRequest[] = [
    ...(embedded.postgres ? [{ option: 'postgres_port', host: '127.0.0.1' }] : []),
    ...(embedded.broker ? [{ option: 'mqtt_port', host }] : []),
    ...(embedded.broker && webSocket ? [{ option: 'mqtt_ws_port', host }] : []),
  ];
  const chosen: Option[] = [{ group: 'embedded', name: 'state_dir', value: state.path }];
  const prepared: { postgres?: EmbeddedPostgres } = {};
  const ports = await choosePorts(runtime, config, requests, state.file('ports.json'));
  for (const [name, port] of ports) chosen.push({ group: 'embedded', name, value: String(port) });

  const postgresPort = ports.get('postgres_port');
  if (postgresPort !== undefined) {
    const folder = state.file('postgres');
    prepared.postgres = await preparePostgres({ runtime, folder, port: postgresPort, maxConnections, log });
    chosen.push({ group: 'database', name: 'connection', value: prepared.postgres.url });
  }
  const mqttPort = ports.get('mqtt_port');
  if (mqttPort !== undefined) {
    const account = await attempt(`the embedded broker's account cannot be made in ${state.path}`, () =>
      brokerAccount(runtime.files, state.path),
    );
    const reached =
      host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
    chosen.push({ group: 'mqtt', name: 'url', value: `mqtt://${reached}:${mqttPort}` });
    chosen.push({ group: 'mqtt', name: 'username', value: account.username });
    chosen.push({ group: 'mqtt', name: 'password', value: account.password });
  }
  return { ...prepared, broker: embedded.broker, options: chosen };
}
