/** The tables of rules and converters against the values that the Python libraries were asked about. */
import { describe, expect, it } from 'vitest';
import { convertedSchema } from '#src/api/openapi/converters.ts';
import { ruleSchema } from '#src/api/openapi/rules.ts';
import { CONVERTER_CASES } from '#src/lib/api/converters/converters.cases.ts';
import type { ConverterName } from '#src/lib/api/converters/mod.ts';
import type { Schema } from '#src/lib/api/schema.ts';
import { RULE_CASES } from '#src/lib/api/validators/rules.cases.ts';
import { schemaCompiler } from '../support/openapi.ts';

const ajv = schemaCompiler();

/** Written otherwise than the description says, but taken: numbers as text inside of objects, UUIDs without dashes. */
const SLOPPY = /"(?:segmentation_id|provider:segmentation_id)":"|^"[{]?[0-9A-F]{8}-?[0-9A-F]{4}-?.*"$/i;
const CANONICAL = /^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/;

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const isOfType = (value: unknown, { type }: Schema): boolean =>
  type === undefined || [type].flat().includes(typeOf(value) as never);

/** Whether a value is written as the schema has it: rules also take what converts to that. */
function isOwn(value: unknown, schema: Schema): boolean {
  const text = JSON.stringify(value);
  return isOfType(value, schema) && (!SLOPPY.test(text) || CANONICAL.test(text));
}

describe.each(RULE_CASES)('the schema of $rule ($argument)', ({ rule, argument, accepts, refuses }) => {
  const schema = ruleSchema(rule, argument);
  const holds = ajv.compile(schema);

  it('is one', () => expect(ajv.validateSchema(schema)).toBe(true));

  it.each(accepts.filter((value) => isOwn(value, schema)).map((value) => [value]))('lets %j through', (value) => {
    expect(holds(value), ajv.errorsText(holds.errors)).toBe(true);
  });

  const others = refuses.map(([value]) => value).filter((value) => !isOfType(value, schema));
  it.runIf(schema.type !== undefined && others.length > 0)('refuses what is of another type', () => {
    expect(others.filter((value) => holds(value))).toEqual([]);
  });
});

describe.each(Object.keys(CONVERTER_CASES) as ConverterName[])('what %s keeps', (name) => {
  const { kept } = convertedSchema(name, {});
  const results = CONVERTER_CASES[name].flatMap((row) => (row.length === 2 ? [row[1]] : []));
  const holds = ajv.compile(kept);

  it('is described by a schema', () => expect(ajv.validateSchema(kept)).toBe(true));

  it.each(results.filter((value) => isOwn(value, kept)).map((value) => [value]))('may be %j', (value) => {
    expect(holds(value), ajv.errorsText(holds.errors)).toBe(true);
  });
});
