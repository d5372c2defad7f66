/**
 * From settings to values: which setting wins for an option, `$name` and `${group.name}` replaced, text converted. Works
 * on demand, since an option may refer to any other; a circle of references is an error, not a hang.
 */
import type { OptionSpec, OptionValue } from '#src/lib/config.ts';
import type { Finding } from './finding.ts';
import { type Setting, type Source, settingKey } from './sources.ts';
import { convertValue, valueText } from './values.ts';

/** An option's value and what gave it. */
export interface Resolved {
  readonly value: OptionValue;
  /** What set it (several for a multi option); none: the default. */
  readonly settings: readonly Setting[];
  /** Set where it was found under a former name. */
  readonly formerName: boolean;
}

export interface Resolver {
  /** The option's value; complaints go to `findings` once. */
  resolve(spec: OptionSpec): Resolved;
  readonly findings: readonly Finding[];
}

/** Sources in the order of strength, weakest first. */
export function createResolver(options: readonly OptionSpec[], sources: readonly Source[]): Resolver {
  const specs = new Map(options.map((spec) => [settingKey(spec.group, spec.name), spec]));
  const indexed = sources.map((source) =>
    Map.groupBy(source.settings, (setting) => settingKey(setting.group, setting.name)),
  );
  const done = new Map<OptionSpec, Resolved>();
  const underWay = new Set<OptionSpec>();
  const findings: Finding[] = [];

  function resolve(spec: OptionSpec): Resolved {
    const known = done.get(spec);
    if (known) return known;
    underWay.add(spec);
    const found = winningSettings(spec);
    const resolved = { ...found, value: convertAll(spec, found.settings) };
    underWay.delete(spec);
    done.set(spec, resolved);
    return resolved;
  }

  function winningSettings(spec: OptionSpec): Omit<Resolved, 'value'> {
    const current = settingKey(spec.group, spec.name);
    const former = (spec.deprecated_names ?? []).map(([group, name]) =>
      settingKey(group ?? spec.group, name ?? spec.name),
    );
    const settings: Setting[] = [];
    let formerName = false;
    for (const source of indexed.toReversed()) {
      const key = [current, ...former].find((candidate) => source.has(candidate));
      if (key === undefined) continue;
      const here = source.get(key)!;
      formerName ||= key !== current;
      if (spec.type !== 'multi') return { settings: [here.at(-1)!], formerName };
      settings.unshift(...here);
    }
    return { settings, formerName };
  }

  function convertAll(spec: OptionSpec, settings: readonly Setting[]): OptionValue {
    if (settings.length === 0) return defaultOf(spec);
    const values = settings.map((setting) => convertSetting(spec, setting));
    if (values.includes(undefined)) return spec.default;
    return spec.type === 'multi' ? values.map((value) => valueText(value ?? null)) : values[0]!;
  }

  /** Undefined after a complaint. */
  function convertSetting(spec: OptionSpec, setting: Setting): OptionValue | undefined {
    const replaced = substitute(spec, setting.text);
    if ('problem' in replaced) {
      complain(spec, setting, replaced.problem);
      return undefined;
    }
    const converted = convertValue(spec, replaced.text);
    if ('value' in converted) return converted.value;
    const shown = spec.secret ? 'the value (not shown)' : JSON.stringify(replaced.text);
    complain(spec, setting, `${shown} is not allowed; it must be ${converted.allowed}`);
    return undefined;
  }

  function complain(spec: OptionSpec, setting: Setting, problem: string): void {
    const { group, name } = spec;
    const { file, line } = setting;
    findings.push({ kind: 'error', group, name, file, line, message: `[${group}] ${name}: ${problem}` });
  }

  function defaultOf(spec: OptionSpec): OptionValue {
    if (typeof spec.default !== 'string') return spec.default;
    const replaced = substitute(spec, spec.default);
    return 'text' in replaced ? replaced.text : spec.default;
  }

  function substitute(spec: OptionSpec, text: string): { readonly text: string } | { readonly problem: string } {
    let problem: string | undefined;
    const replaced = text.replaceAll(REFERENCE, (whole, bare?: string, braced?: string) => {
      const reference = bare ?? braced;
      if (reference === undefined) return '$';
      const target = findReferred(spec, reference);
      if (!target) {
        problem = `it refers to ${spec.secret ? 'an option' : `"${whole}"`}, which does not exist; write "$$" for a dollar sign`;
        return whole;
      }
      if (underWay.has(target)) {
        problem = `its value refers back to itself through "$${reference}"`;
        return whole;
      }
      return valueText(resolve(target).value);
    });
    return problem === undefined ? { text: replaced } : { problem };
  }

  function findReferred(spec: OptionSpec, reference: string): OptionSpec | undefined {
    const [group, name] = reference.split('.', 2);
    if (name !== undefined) return specs.get(settingKey(group!, name));
    return specs.get(settingKey(spec.group, reference)) ?? specs.get(settingKey('DEFAULT', reference));
  }

  return { resolve, findings };
}

/** `$$` or `\$` for a dollar sign, `$name`, `${group.name}`; a dollar sign before anything else stands for itself. */
const REFERENCE = /\$\$|\\\$|\$([_a-z][._a-z0-9]*)|\$\{([_a-z][._a-z0-9]*)\}/gi;
