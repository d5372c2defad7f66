/** Reads files and environment into a `Config`, and says everything that is worth saying about them. */
import type { Config, OptionSpec, OptionValue } from '#src/lib/config.ts';
import { nearest } from '#src/lib/nearest.ts';
import { createConfig } from './config.ts';
import type { Finding } from './finding.ts';
import { libraryGroups } from './options/oslo.ts';
import { WITHOUT_FILES } from './options/without_files.ts';
import { createResolver, type Resolved } from './resolve.ts';
import { environmentSource, fileSource, groupKey, type Setting, type Source, settingKey } from './sources.ts';

export interface LoadOptions {
  /** Paths; later ones win. */
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
  /** `allOptions`, and those of plugins. */
  readonly options: readonly OptionSpec[];
}

/** An option that somebody set. */
export interface LoadedSetting extends Resolved {
  readonly spec: OptionSpec;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Errors first; with an error among them the configuration must not be used. */
  readonly findings: readonly Finding[];
  readonly settings: readonly LoadedSetting[];
}

/** Sections named `[kind:name]` hold free text for what composes itself from configuration, as api-paste.ini's do. */
const FREE_SECTION = /^[a-z_]+:/;

/** Reads and checks the configuration; it never throws for what a file says, but reports it. */
export async function loadConfig({ files, env, readFile, options }: LoadOptions): Promise<LoadedConfig> {
  const read = await Promise.all(files.map((file) => fileSource(file, readFile)));
  const environment = environmentSource(env);
  const presets = files.length === 0 ? [WITHOUT_FILES] : [];
  const sources: readonly Source[] = [...presets, ...read.map(({ source }) => source), environment];

  const resolver = createResolver(options, sources);
  const values = new Map<string, OptionValue>();
  const settings: LoadedSetting[] = [];
  for (const spec of options) {
    const resolved = resolver.resolve(spec);
    values.set(settingKey(spec.group, spec.name), resolved.value);
    if (resolved.settings.length > 0) settings.push({ ...resolved, spec });
  }

  const undeclared = undeclaredSettings(options, sources);
  const findings = [
    ...read.flatMap(({ findings }) => findings),
    ...resolver.findings,
    ...undeclaredFindings(options, undeclared),
    ...settings.flatMap(deprecatedFinding),
    ...settings.flatMap(withoutEffectFinding),
  ];
  const set = new Set(settings.map(({ spec }) => settingKey(spec.group, spec.name)));
  return { config: createConfig({ options, values, set, sections: sectionsOf(undeclared) }), findings, settings };
}

function undeclaredSettings(options: readonly OptionSpec[], sources: readonly Source[]): readonly Setting[] {
  const known = new Set<string>();
  for (const spec of options) {
    known.add(settingKey(spec.group, spec.name));
    for (const [group, name] of spec.deprecated_names ?? [])
      known.add(settingKey(group ?? spec.group, name ?? spec.name));
  }
  return sources.flatMap(({ settings }) => settings.filter(({ group, name }) => !known.has(settingKey(group, name))));
}

function sectionsOf(settings: readonly Setting[]): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const sections = new Map<string, Record<string, string>>();
  for (const { group, name, text } of settings) {
    const section = sections.get(group) ?? {};
    section[name] = text;
    sections.set(group, section);
  }
  return sections;
}

/** Unknown options of known groups one by one; an unknown group once, and so the group of a library that is not used. */
function undeclaredFindings(options: readonly OptionSpec[], undeclared: readonly Setting[]): readonly Finding[] {
  const groups = Map.groupBy(options, (spec) => groupKey(spec.group));
  const findings = new Map<string, Finding>();
  for (const { group, name, file, line } of undeclared) {
    if (FREE_SECTION.test(group)) continue;
    const siblings = groups.get(groupKey(group));
    const key = siblings ? settingKey(group, name) : `[${groupKey(group)}]`;
    if (findings.has(key)) continue;
    const place = { kind: 'unknown', group, file, line } as const;
    if (libraryGroups.has(groupKey(group))) {
      findings.set(key, {
        ...place,
        kind: 'without-effect',
        name: null,
        message: `[${group}] has no effect in Nucleon`,
      });
    } else if (siblings) {
      findings.set(key, { ...place, name, ...unknownOption(group, name, siblings, options) });
    } else {
      const meant = nearest(group, groups.keys());
      const hint = meant === undefined ? '' : `; did you mean [${meant}]?`;
      const message = `no option is known in section [${group}] (${name} and what follows it there)${hint}`;
      findings.set(key, { ...place, name: null, message, ...(meant === undefined ? {} : { nearest: meant }) });
    }
  }
  return [...findings.values()];
}

function unknownOption(
  group: string,
  name: string,
  siblings: readonly OptionSpec[],
  options: readonly OptionSpec[],
): Pick<Finding, 'message' | 'nearest'> {
  const message = `there is no option ${name} in [${group}]`;
  const wanted = name.replaceAll('-', '_');
  const elsewhere =
    options.find((spec) => spec.name === wanted && spec.effective) ?? options.find((spec) => spec.name === wanted);
  if (elsewhere) {
    return { message: `${message}; did you mean ${wanted} in [${elsewhere.group}]?`, nearest: wanted };
  }
  const meant = nearest(
    wanted,
    siblings.map((spec) => spec.name),
  );
  return meant === undefined ? { message } : { message: `${message}; did you mean ${meant}?`, nearest: meant };
}

function deprecatedFinding({ spec, settings, formerName }: LoadedSetting): readonly Finding[] {
  const { group, name } = spec;
  const { file, line, group: writtenGroup, name: writtenName } = settings.at(-1)!;
  const finding = (message: string): Finding => ({ kind: 'deprecated', group, name, file, line, message });
  if (formerName) {
    return [finding(`[${writtenGroup}] ${writtenName} is the former name of [${group}] ${name}; write that`)];
  }
  return spec.deprecated_for_removal && spec.effective ? [finding(`[${group}] ${name} will be removed`)] : [];
}

function withoutEffectFinding({ spec, settings }: LoadedSetting): readonly Finding[] {
  if (spec.effective) return [];
  const { group, name } = spec;
  const { file, line } = settings.at(-1)!;
  return [{ kind: 'without-effect', group, name, file, line, message: `[${group}] ${name} has no effect in Nucleon` }];
}
