/**
 * The attribute map: what Neutron's RESOURCE_ATTRIBUTE_MAP says of an attribute, as data. Field names are Neutron's, so
 * that a map can be read beside the API reference. `prepare.ts` applies it to bodies, `src/api` to filters and answers.
 */
import type { ConverterName } from './converters/mod.ts';
import type { Schema } from './schema.ts';
import type { ValidatorName } from './validators/mod.ts';

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * The default of an attribute that may be left out and then has no value: the key is absent from the prepared body.
 * (An attribute with `allow_post` and without `default` is mandatory.)
 */
export const ATTR_NOT_SPECIFIED: unique symbol = Symbol('ATTR_NOT_SPECIFIED');

/** Turns what was sent into what is kept; throws InvalidInput when it cannot. */
export type Converter = (value: unknown) => unknown;
/** Says what is wrong with a value, or null. May throw a NeutronError of its own type where Neutron does. */
export type Validator = (value: unknown, argument: unknown) => string | null;

export interface AttributeSpec {
  readonly allow_post: boolean;
  readonly allow_put: boolean;
  readonly default?: Json | typeof ATTR_NOT_SPECIFIED;
  /** Rules by name (`{'type:string': 255}`), in order; a plugin's own rule is a function under any name. */
  readonly validate?: Readonly<Partial<Record<ValidatorName, unknown>>> | Readonly<Record<string, Validator>>;
  readonly convert_to?: ConverterName | Converter;
  readonly convert_list_to?: ConverterName | Converter;
  readonly is_visible?: boolean;
  readonly is_filter?: boolean;
  readonly is_sort_key?: boolean;
  readonly primary_key?: boolean;
  /** Read from the database for policy even when `fields` leaves it out. */
  readonly required_by_policy?: boolean;
  /** `create_port:mac_address` and the like are asked when the body sets it. */
  readonly enforce_policy?: boolean;
  /**
   * What answers carry, where converter and rules do not tell: read-only attributes, and values that may be null. (A read-only
   * attribute whose default is ATTR_NOT_SPECIFIED may be absent.)
   */
  readonly response?: Schema;
}

export type AttributeMap = Readonly<Record<string, AttributeSpec>>;
