/**
 * The converters that attribute maps name in `convert_to` and `convert_list_to`: neutron_lib's, those of Neutron's extensions
 * and of service function chaining. A converter takes any JSON value and throws a NeutronError for what it cannot convert.
 */
import type { Converter } from '../attributes.ts';
import type { AttributeSettings } from '../settings.ts';
import { commonConverters } from './common.ts';
import { neutronConverters } from './neutron.ts';
import { sfcConverters } from './sfc.ts';

export type ConverterName =
  | keyof ReturnType<typeof commonConverters>
  | keyof ReturnType<typeof neutronConverters>
  | keyof typeof sfcConverters;

export type Converters = Readonly<Record<ConverterName, Converter>>;

/** All converters, by name. */
export function createConverters(settings: AttributeSettings): Converters {
  return { ...commonConverters(settings), ...neutronConverters(settings), ...sfcConverters };
}
