/**
 * The configuration as a server reads it: once, by the supervisor, as texts. Its processes get the texts (a snapshot), so that
 * a worker that is started again runs with the configuration of its sisters, whatever has become of the files.
 */
import {
  allOptions,
  type Finding,
  formatFinding,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
} from '#src/config/mod.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Files, Runtime } from '#src/lib/runtime.ts';
import { EXIT, StartError, systemReason } from './errors.ts';
import { loadForeignModules } from './registry.ts';
import type { ConfigurationSnapshot } from './supervisor/messages.ts';

/** What the command line says about configuration. */
export interface ConfigurationPaths {
  readonly files: readonly string[];
  /** Folders whose `*.conf` files are read after the files, in the order of their names. */
  readonly folders: readonly string[];
}

export interface Configuration extends LoadedConfig {
  readonly snapshot: ConfigurationSnapshot;
}

/** Reads the files and the environment; never throws for what they say: that is in the findings. */
export async function readConfiguration(
  { files, env }: { readonly files: Files; readonly env: Runtime['env'] },
  paths: ConfigurationPaths,
): Promise<Configuration> {
  const named = [...paths.files];
  for (const folder of paths.folders) named.push(...(await configurationFiles(files, folder)));
  const texts = new Map<string, string>();
  const readFile = async (path: string) => {
    const text = await files.read(path).catch((cause) => {
      throw new Error(systemReason(cause), { cause });
    });
    texts.set(path, text);
    return text;
  };
  const loaded = await loadWithPlugins({ files: named, env, readFile });
  const variables = Object.entries(env).filter(
    (entry): entry is [string, string] => /^OS_.+__/.test(entry[0]) && entry[1] !== undefined,
  );
  const read = named.flatMap((path) => {
    const text = texts.get(path);
    return text === undefined ? [] : [{ path, text }];
  });
  return { ...loaded, snapshot: { files: read, env: Object.fromEntries(variables) } };
}

/** Foreign plugins declare options of their own; which plugins there are, a first reading says. */
async function loadWithPlugins(sources: Omit<LoadOptions, 'options'>): Promise<LoadedConfig> {
  const loaded = await loadConfig({ ...sources, options: allOptions });
  const foreign = await loadForeignModules(loaded);
  const options = foreign.flatMap(({ module }) => module.options ?? []);
  return options.length === 0 ? loaded : loadConfig({ ...sources, options: [...allOptions, ...options] });
}

/** The configuration of a snapshot: the same everywhere it is sent. */
export async function configurationOf({ files, env }: ConfigurationSnapshot): Promise<Config> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const { config } = await loadWithPlugins({
    files: [...texts.keys()],
    env,
    readFile: async (path) => texts.get(path) ?? '',
  });
  return config;
}

/** The snapshot with some options set over all else. */
export function withOptions(
  snapshot: ConfigurationSnapshot,
  options: readonly { readonly group: string; readonly name: string; readonly value: string }[],
): ConfigurationSnapshot {
  const added = options.map(({ group, name, value }) => [`OS_${group}__${name}`.toUpperCase(), value] as const);
  const names = new Set(added.map(([name]) => name));
  const kept = Object.entries(snapshot.env).filter(([name]) => !names.has(name.toUpperCase()));
  return { files: snapshot.files, env: Object.fromEntries([...kept, ...added]) };
}

/** Throws a StartError that lists what must be mended; the rest is said in the log, once. */
export function acceptConfiguration({ findings }: LoadedConfig, log: Logger): void {
  const errors = configurationErrors(findings);
  if (errors.length > 0) {
    throw new StartError(`the configuration cannot be used:\n  ${errors.join('\n  ')}`, {
      exitCode: EXIT.configuration,
    });
  }
  for (const { kind, message, file, line, group, name } of findings) {
    log.warn(`configuration: ${message}`, { kind, file, line, group, name });
  }
}

/** The findings that keep a server from starting, one line each. */
export function configurationErrors(findings: readonly Finding[]): readonly string[] {
  return findings.filter(({ kind }) => kind === 'error').map(formatFinding);
}

async function configurationFiles(files: Files, folder: string): Promise<readonly string[]> {
  try {
    const names = (await files.list(folder)).filter((name) => name.endsWith('.conf'));
    return names.sort().map((name) => `${folder}/${name}`);
  } catch (error) {
    throw new StartError(`the configuration folder ${folder} cannot be read: ${systemReason(error)}`, {
      cause: error,
      exitCode: EXIT.configuration,
    });
  }
}
