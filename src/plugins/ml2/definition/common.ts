/** Attributes that networks, subnets and ports have alike. */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import { TEXT } from '#src/lib/api/schema.ts';

export const READ_ONLY = { allow_post: false, allow_put: false, is_visible: true } as const satisfies AttributeSpec;
const SORTED = { is_filter: true, is_sort_key: true } as const;

export const ID = {
  ...READ_ONLY,
  ...SORTED,
  validate: { 'type:uuid': null },
  primary_key: true,
} as const satisfies AttributeSpec;

export const NAME = {
  allow_post: true,
  allow_put: true,
  validate: { 'type:name_string': 255 },
  default: '',
  is_visible: true,
  ...SORTED,
} as const satisfies AttributeSpec;

export const OWNER = {
  allow_post: true,
  allow_put: false,
  validate: { 'type:string': 255 },
  required_by_policy: true,
  is_visible: true,
  ...SORTED,
} as const satisfies AttributeSpec;

export const STATUS = { ...READ_ONLY, ...SORTED, response: TEXT } as const satisfies AttributeSpec;

/** A switch that is on unless told. */
export const SWITCH = {
  allow_post: true,
  allow_put: true,
  default: true,
  convert_to: 'convert_to_boolean',
  is_visible: true,
  ...SORTED,
} as const satisfies AttributeSpec;
