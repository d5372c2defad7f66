/** The broker of `[mqtt]`: where it is, who we are to it, and how it is trusted. */
import type { Config } from '#src/lib/config.ts';
import type { Files } from '#src/lib/runtime.ts';
import type { MqttOptions } from '#src/rpc/mod.ts';

/** Reads the options and the PEM files that they name. */
export async function brokerOptions(
  config: Config,
  files: Files,
): Promise<Pick<MqttOptions, 'url' | 'username' | 'password' | 'tls'>> {
  const option = (name: string) => config.optionalString('mqtt', name) ?? undefined;
  const pem = (name: string) => {
    const path = option(name);
    return path === undefined ? undefined : files.read(path);
  };
  const [ca, cert, key] = await Promise.all([pem('ca_file'), pem('cert_file'), pem('key_file')]);
  const tls = given({ ca, cert, key });
  return {
    url: config.string('mqtt', 'url'),
    ...given({ username: option('username'), password: option('password') }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
  };
}

/** Without the keys that have no value. */
function given<Name extends string>(values: Readonly<Record<Name, string | undefined>>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<Name, string>
  >;
}
