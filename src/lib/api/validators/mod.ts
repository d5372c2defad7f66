/**
 * The rules that attribute maps name in `validate`: neutron_lib's, those of Neutron's extensions and of the stadium. A rule
 * takes any JSON value and its argument, and says what is wrong or null; messages are those that clients see behind
 * `Invalid input for <attribute>. Reason: `. Where Neutron raises an error of another type, so does the rule.
 */
import type { Converter, Validator } from '../attributes.ts';
import type { Converters } from '../converters/mod.ts';
import type { AttributeSettings } from '../settings.ts';
import { addressRules } from './addresses.ts';
import { dictRules, type Names } from './dicts.ts';
import { dnsRules } from './dns.ts';
import { listRules } from './lists.ts';
import { createPatterns, scalarRules } from './scalars.ts';
import { serviceRules } from './services.ts';

export type { KeySpec, KeySpecs } from './dicts.ts';

export type ValidatorName =
  | keyof ReturnType<typeof scalarRules>
  | keyof ReturnType<typeof addressRules>
  | keyof ReturnType<typeof dictRules>
  | keyof ReturnType<typeof dnsRules>
  | keyof ReturnType<typeof listRules>
  | keyof ReturnType<typeof serviceRules>;

export type Validators = Readonly<Record<ValidatorName, Validator>>;

/** All rules, by name. Rules for dictionaries use the converters for their keys. */
export function createValidators(settings: AttributeSettings, converters: Converters): Validators {
  const patterns = createPatterns();
  const names: Names = {
    rule: (name) => lookUp<Validator>(validators, name),
    converter: (name) => lookUp<Converter>(converters, name),
  };
  const validators: Validators = {
    ...scalarRules(patterns),
    ...addressRules(settings),
    ...dictRules(names),
    ...dnsRules(settings),
    ...listRules(patterns),
    ...serviceRules(settings),
  };
  return validators;
}

/** Finds a rule or converter; a name that an attribute map has wrong is a defect of the map. */
export function lookUp<Kind>(table: Readonly<Record<string, Kind>>, name: string): Kind {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new TypeError(`an attribute map names '${name}', which is no rule or converter`);
  return found;
}
