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
import { brokerUrl } from './broker_address.ts';
import { choosePorts, type PortRequest } from './ports.ts';
import { type EmbeddedPostgres, preparePostgres } from './postgres.ts';
import { endSurvivor } from './postgres_survivor.ts';
import type { StateDirectory } from './state_directory.ts';

export interface Option {
  readonly group: string;
  readonly name: string;
  readonly value: string;
}

export interface EmbeddedServices {
  /** Undefined where `[database] connection` names one. */
  readonly postgres?: EmbeddedPostgres;
  /** Undefined where `[mqtt] url` names one. */
  readonly broker?: {
    /** Lets go of the broker's ports: called just before it is launched. */
    releasePorts(): Promise<void>;
  };
  readonly options: readonly Option[];
}

/** How long the processes of a killed supervisor may hold their ports. */
export const PATIENCE_MS = 10_000;

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
  const prepared: { postgres?: EmbeddedPostgres; broker?: EmbeddedServices['broker'] } = {};
  const folder = state.file('postgres');
  if (embedded.postgres) await endSurvivor(runtime, `${folder}/data`, log);
  const patienceMs = state.afterCrash ? PATIENCE_MS : 0;
  const claims = await choosePorts({ runtime, config, requests, file: state.file('ports.json'), patienceMs });
  for (const [name, { port }] of claims) chosen.push({ group: 'embedded', name, value: String(port) });

  const database = claims.get('postgres_port');
  if (database !== undefined) {
    const postgres = await preparePostgres({ runtime, folder, port: database.port, maxConnections, log });
    const launch = async () => {
      await database.release();
      return postgres.launch();
    };
    prepared.postgres = { ...postgres, launch };
    chosen.push({ group: 'database', name: 'connection', value: postgres.url });
  }
  const mqtt = claims.get('mqtt_port');
  if (mqtt !== undefined) {
    const brokerPorts = [mqtt, claims.get('mqtt_ws_port')];
    prepared.broker = {
      releasePorts: async () => {
        await Promise.all(brokerPorts.map((claim) => claim?.release()));
      },
    };
    const account = await attempt(`the embedded broker's account cannot be made in ${state.path}`, () =>
      brokerAccount(runtime.files, state.path),
    );
    chosen.push({ group: 'mqtt', name: 'url', value: brokerUrl(config, mqtt.port) });
    chosen.push({ group: 'mqtt', name: 'username', value: account.username });
    chosen.push({ group: 'mqtt', name: 'password', value: account.password });
  }
  return { ...prepared, options: chosen };
}
