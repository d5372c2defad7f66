/** The process `nucleon: mqtt broker`. */
import { fileUsers, startBroker } from '#src/broker/mod.ts';
import { attempt } from '../errors.ts';
import type { RunningWorker, WorkerEnvironment } from '../worker_contract.ts';
import { brokerUsersFile } from './broker_account.ts';

/** Starts the broker on the ports that the supervisor chose. */
export async function start({ runtime, config, log, metrics, clock }: WorkerEnvironment): Promise<RunningWorker> {
  const users = await fileUsers({
    files: runtime.files,
    path: brokerUsersFile(config.string('embedded', 'state_dir')),
    topicPrefix: config.string('mqtt', 'topic_prefix'),
    clock,
    log,
  });
  const wsPort = config.integer('embedded', 'mqtt_ws_port');
  return attempt('the embedded broker cannot listen ([embedded] mqtt_port, mqtt_ws_port)', () =>
    startBroker({
      network: runtime.network,
      host: config.string('embedded', 'mqtt_host'),
      port: config.integer('embedded', 'mqtt_port'),
      ...(wsPort === 0 ? {} : { wsPort }),
      users,
      log,
      metrics,
      clock,
    }),
  );
}
