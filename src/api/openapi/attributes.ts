/** One attribute of a map as JSON Schema: what a body may carry, and what answers carry. */
import type { AttributeSpec, Json } from '#src/lib/api/attributes.ts';
import type { Schema } from '#src/lib/api/schema.ts';
import type { ValidatorName } from '#src/lib/api/validators/mod.ts';
import { type Converted, convertedSchema } from './converters.ts';
import { ruleSchema } from './rules.ts';

/** What all rules together let through. Rules that are a plugin's own functions say nothing. */
function ruledSchema(spec: AttributeSpec): Schema {
  const schemas = Object.entries(spec.validate ?? {})
    .filter(([, argument]) => typeof argument !== 'function')
    .map(([rule, argument]) => ruleSchema(rule as ValidatorName, argument));
  const [first = {}, ...others] = schemas;
  return others.length === 0 ? first : { allOf: schemas };
}

/** The schemas of an attribute. */
export function attributeSchemas(spec: AttributeSpec): Converted {
  const ruled = ruledSchema(spec);
  const { sent, kept } =
    typeof spec.convert_to === 'string' ? convertedSchema(spec.convert_to, ruled) : { sent: ruled, kept: ruled };
  return { sent, kept: spec.response ?? kept };
}

/** The value that a body without the attribute has; undefined where there is none. */
export function defaultOf(spec: AttributeSpec): Json | undefined {
  return typeof spec.default === 'symbol' ? undefined : spec.default;
}
