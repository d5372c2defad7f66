/** Where the embedded broker is reached from this machine. */
import type { Config } from '#src/lib/config.ts';
import type { ServerFiles } from '#src/lib/runtime.ts';
import { rememberedPort } from './ports.ts';

/** The address that goes with where it listens. */
export function brokerUrl(config: Config, port: number): string {
  const host = config.string('embedded', 'mqtt_host');
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `mqtt://${reached}:${port}`;
}

/** The address of the broker of the server that runs, or ran last, on `[embedded] state_dir`. */
export async function rememberedBroker(files: ServerFiles, config: Config): Promise<string | undefined> {
  const port = await rememberedPort(files, `${config.string('embedded', 'state_dir')}/ports.json`, 'mqtt_port');
  return port === undefined ? undefined : brokerUrl(config, port);
}
