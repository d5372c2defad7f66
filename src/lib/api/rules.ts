/** The rules and converters of one deployment, as attribute maps are compiled against them. */
import { type Converters, createConverters } from './converters/mod.ts';
import { type AttributeSettings, defaultAttributeSettings } from './settings.ts';
import { createValidators, type Validators } from './validators/mod.ts';

export interface AttributeRules {
  readonly validators: Validators;
  readonly converters: Converters;
}

/** Makes the tables once, at start. */
export function createAttributeRules(settings: AttributeSettings): AttributeRules {
  const converters = createConverters(settings);
  return { converters, validators: createValidators(settings, converters) };
}

/** The tables for the options' own defaults. */
export const defaultAttributeRules: AttributeRules = createAttributeRules(defaultAttributeSettings);
