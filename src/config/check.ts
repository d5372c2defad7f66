/** What `nucleon config check` prints. */
import type { OptionSpec } from '#src/lib/config.ts';
import { maskUrlPasswords } from '#src/lib/redact.ts';
import { databaseUrl } from './database_url.ts';
import { ConfigError } from './errors.ts';
import { formatFinding } from './finding.ts';
import type { LoadedConfig, LoadedSetting } from './load.ts';
import { valueText } from './values.ts';

/** The report as lines, and whether a server would start with this configuration. */
export function checkConfig(loaded: LoadedConfig): { readonly ok: boolean; readonly lines: readonly string[] } {
  const lines = loaded.findings.map(formatFinding);
  let errors = loaded.findings.filter(({ kind }) => kind === 'error').length;
  const dialect = databaseProblem(loaded);
  if (dialect !== undefined) {
    lines.push(dialect);
    errors++;
  }
  const warnings = lines.length - errors;
  lines.push(...describeSettings(loaded.settings));
  lines.push(
    [
      count(loaded.settings.length, 'option set', 'options set'),
      count(errors, 'error'),
      count(warnings, 'warning'),
    ].join(', '),
  );
  return { ok: errors === 0, lines };
}

/** One line for each option that is set: `[ml2] type_drivers = flat,vlan (ml2_conf.ini:4)`; secrets are not shown. */
export function describeSettings(settings: readonly LoadedSetting[]): readonly string[] {
  return settings.map(({ spec, value, settings: written }) => {
    const { file, line } = written.at(-1)!;
    const place = line === null ? file : `${file}:${line}`;
    return `[${spec.group}] ${spec.name} = ${shown(spec, valueText(value))} (${place})`;
  });
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function shown(spec: OptionSpec, text: string): string {
  if (spec.secret) return '***';
  return maskUrlPasswords(text).replaceAll('\n', '\\n');
}

function databaseProblem({ config, settings }: LoadedConfig): string | undefined {
  try {
    databaseUrl(config);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const origin = settings
      .find(({ spec }) => spec.group === 'database' && spec.name === 'connection')
      ?.settings.at(-1);
    return `${origin?.file ?? 'default'}${origin?.line ? `:${origin.line}` : ''}: error: ${error.message}`;
  }
}
