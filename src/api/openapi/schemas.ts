/** The schemas of a resource: what answers carry (`Port`), what creates it (`PortCreate`), what changes it (`PortUpdate`). */
import type { Json } from '#src/lib/api/attributes.ts';
import { listOf, type Schema } from '#src/lib/api/schema.ts';
import type { DescribedAttribute, DescribedResource } from './resource.ts';

export type Schemas = Readonly<Record<string, Schema>>;

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object with this one key, as bodies and answers have it. */
export function wrapped(key: string, schema: Schema, more: Schemas = {}): Schema {
  return { type: 'object', properties: { [key]: schema, ...more }, required: [key], additionalProperties: false };
}

/** What every error answers, and the links of a page. */
export const COMMON: Schemas = {
  Error: {
    type: 'object',
    properties: {
      NeutronError: {
        type: 'object',
        properties: {
          type: { type: 'string', description: 'The name of the error, for programs: `NetworkNotFound`.' },
          message: { type: 'string', description: 'What is wrong, for people.' },
          detail: { type: 'string' },
        },
        required: ['type', 'message', 'detail'],
        additionalProperties: false,
      },
    },
    required: ['NeutronError'],
    additionalProperties: false,
  },
  Links: listOf({
    type: 'object',
    properties: { rel: { type: 'string', enum: ['next', 'previous'] }, href: { type: 'string' } },
    required: ['rel', 'href'],
    additionalProperties: false,
  }),
};

function origin({ extension, policy }: DescribedAttribute): Readonly<Record<`x-${string}`, Json>> {
  return {
    ...(extension === undefined ? {} : { 'x-extension': extension }),
    ...(policy === undefined ? {} : { 'x-policy': policy }),
  };
}

function body(
  attributes: readonly DescribedAttribute[],
  sees: (attribute: DescribedAttribute) => Schema,
  required: readonly DescribedAttribute[],
): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(attributes.map((attribute) => [attribute.name, sees(attribute)])),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    additionalProperties: false,
  };
}

function answerSchema({ attributes }: DescribedResource): Schema {
  const visible = attributes.filter(({ answered }) => answered !== undefined);
  const certain = visible.filter(({ withheld, optional }) => !withheld && !optional);
  return body(visible, (attribute) => ({ ...attribute.answered, ...origin(attribute) }), certain);
}

function createSchema({ attributes }: DescribedResource): Schema {
  const settable = attributes.filter(({ create }) => create);
  return body(
    settable,
    (attribute) => ({
      ...attribute.sent,
      ...(attribute.default === undefined ? {} : { default: attribute.default }),
      ...origin(attribute),
    }),
    settable.filter(({ mandatory }) => mandatory),
  );
}

function updateSchema({ attributes }: DescribedResource): Schema {
  return body(
    attributes.filter(({ update }) => update),
    (attribute) => ({ ...attribute.sent, ...origin(attribute) }),
    [],
  );
}

/** The schemas of a resource by name. One whose bodies are its own (`raw`) has none. */
export function resourceSchemas(described: DescribedResource): Schemas {
  const { title, resource } = described;
  const { raw, operations } = resource.definition;
  if (raw === true) return {};
  return {
    [title]: answerSchema(described),
    ...(operations.includes('create') ? { [`${title}Create`]: createSchema(described) } : {}),
    ...(operations.includes('update') ? { [`${title}Update`]: updateSchema(described) } : {}),
  };
}
