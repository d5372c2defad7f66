/** The `Config` that everybody reads: values already converted, asked for by group, name and type. */
import type { Config, OptionSpec, OptionValue } from '#src/lib/config.ts';
import { ConfigError } from './errors.ts';
import { settingKey } from './sources.ts';

/** What a `Config` is made of. */
export interface ConfigValues {
  readonly options: readonly OptionSpec[];
  /** The values that differ from the defaults, or were set: by `settingKey`. */
  readonly values: ReadonlyMap<string, OptionValue>;
  readonly set: ReadonlySet<string>;
  /** Undeclared options by group, as written. */
  readonly sections: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Builds the read face over finished values. Asking for an undeclared option or the wrong type is a defect and throws. */
export function createConfig({ options, values, set, sections }: ConfigValues): Config {
  const specs = new Map(options.map((option) => [settingKey(option.group, option.name), option]));

  function value(group: string, name: string): OptionValue {
    const key = settingKey(group, name);
    const spec = specs.get(key);
    if (!spec) throw new ConfigError(`Option [${group}] ${name} was asked for, but no option table declares it.`);
    const found = values.get(key);
    return found === undefined ? spec.default : found;
  }
  function typed<Value extends OptionValue>(
    group: string,
    name: string,
    what: string,
    is: (value: OptionValue) => value is Value,
  ): Value {
    const found = value(group, name);
    if (is(found)) return found;
    if (found === null) throw new ConfigError(`Option [${group}] ${name} is not set and has no default; set it.`);
    throw new ConfigError(`Option [${group}] ${name} was asked for as ${what}, but is declared as another type.`);
  }

  return {
    string: (group, name) => typed(group, name, 'a string', isString),
    optionalString: (group, name) => (value(group, name) === null ? null : typed(group, name, 'a string', isString)),
    integer: (group, name) => typed(group, name, 'an integer', isNumber),
    float: (group, name) => typed(group, name, 'a number', isNumber),
    boolean: (group, name) => typed(group, name, 'a boolean', isBoolean),
    list: (group, name) => typed(group, name, 'a list', isList),
    dict: (group, name) => typed(group, name, 'a dict', isDict),
    isSet: (group, name) => set.has(settingKey(group, name)),
    section: (group) => sections.get(group) ?? {},
  };
}

/** A `Config` from plain values, without files: for tests and tools. Names that no table declares throw. */
export function configFrom(
  options: readonly OptionSpec[],
  groups: Readonly<Record<string, Readonly<Record<string, OptionValue>>>> = {},
): Config {
  const known = new Set(options.map((option) => settingKey(option.group, option.name)));
  const values = new Map<string, OptionValue>();
  for (const [group, entries] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(entries)) {
      const key = settingKey(group, name);
      if (!known.has(key)) throw new ConfigError(`Option [${group}] ${name} was set, but no option table declares it.`);
      values.set(key, value);
    }
  }
  return createConfig({ options, values, set: new Set(values.keys()), sections: new Map() });
}

const isString = (value: OptionValue): value is string => typeof value === 'string';
const isNumber = (value: OptionValue): value is number => typeof value === 'number';
const isBoolean = (value: OptionValue): value is boolean => typeof value === 'boolean';
const isList = (value: OptionValue): value is readonly string[] => Array.isArray(value);
const isDict = (value: OptionValue): value is Readonly<Record<string, string>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
