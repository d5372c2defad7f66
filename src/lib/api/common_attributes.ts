/** Attributes that most resources have alike, for their definitions. */
import type { AttributeMap, AttributeSpec } from './attributes.ts';
import { INTEGER, TEXT, TIME } from './schema.ts';

export const READ_ONLY = { allow_post: false, allow_put: false, is_visible: true } as const satisfies AttributeSpec;
/** Lists are filtered and sorted by it. */
export const FOUND = { is_filter: true, is_sort_key: true } as const;

export const ID = {
  ...READ_ONLY,
  ...FOUND,
  validate: { 'type:uuid': null },
  primary_key: true,
} as const satisfies AttributeSpec;

export const NAME = {
  allow_post: true,
  allow_put: true,
  validate: { 'type:name_string': 255 },
  default: '',
  is_visible: true,
  ...FOUND,
} as const satisfies AttributeSpec;

export const OWNER = {
  allow_post: true,
  allow_put: false,
  validate: { 'type:string': 255 },
  required_by_policy: true,
  is_visible: true,
  ...FOUND,
} as const satisfies AttributeSpec;

export const STATUS = { ...READ_ONLY, ...FOUND, response: TEXT } as const satisfies AttributeSpec;

/** A switch that is on unless told. */
export const SWITCH = {
  allow_post: true,
  allow_put: true,
  default: true,
  convert_to: 'convert_to_boolean',
  is_visible: true,
  ...FOUND,
} as const satisfies AttributeSpec;

/** Description, revision and timestamps, as every resource has them that has them. */
export const STANDARD_ATTRIBUTES = {
  description: {
    allow_post: true,
    allow_put: true,
    default: '',
    validate: { 'type:string': 255 },
    is_visible: true,
    is_filter: true,
  },
  revision_number: { ...READ_ONLY, default: null, is_filter: true, response: INTEGER },
  created_at: { ...READ_ONLY, default: null, response: TIME },
  updated_at: { ...READ_ONLY, default: null, response: TIME },
} as const satisfies AttributeMap;
