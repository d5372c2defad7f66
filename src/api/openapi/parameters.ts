/** What may stand in the path, the query and the headers of a request. */
import type { Schema } from '#src/lib/api/schema.ts';
import type { ServedExtensions } from '../router/extensions.ts';
import type { DescribedAttribute, DescribedResource } from './resource.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
  readonly 'x-extension'?: string;
}

/** Several values by repeating the name. */
const several = (items: Schema): Schema => ({ type: 'array', items });

const query = (name: string, schema: Schema, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const PAGE: readonly Parameter[] = [
  query('limit', { type: 'integer', minimum: 0 }, 'The most items to answer; links lead to the other pages.'),
  query('marker', { type: 'string' }, 'The last item of the page before.'),
  query('page_reverse', { type: 'boolean', default: false }, 'True: the page before the marker.'),
];

const TAG_FILTERS: readonly Parameter[] = [
  query('tags', { type: 'string' }, 'Has all of these tags, which commas separate.'),
  query('tags-any', { type: 'string' }, 'Has one of these tags.'),
  query('not-tags', { type: 'string' }, 'Lacks one of these tags.'),
  query('not-tags-any', { type: 'string' }, 'Has none of these tags.'),
];

const CHANGED_SINCE = query('changed_since', { type: 'string', format: 'date-time' }, 'Changed at that time or after.');

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'Only if the item still has this revision: otherwise 412, and nothing is changed.',
  schema: { type: 'string', pattern: '^revision_number=\\d+$' },
  'x-extension': 'revision-if-match',
};

const scalar = ({ type, format }: Schema): Schema => {
  const single = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  if (single === undefined || single === 'array' || single === 'object') return { type: 'string' };
  return { type: single as string & Schema['type'], ...(format === undefined ? {} : { format }) };
};

const has = (described: DescribedResource, name: string): boolean =>
  described.attributes.some((attribute) => attribute.name === name);

function filter(attribute: DescribedAttribute, compound: boolean): Parameter {
  const { name, answered, sent, extension } = attribute;
  return {
    ...query(
      name,
      several(compound ? { type: 'string', pattern: '^[^=]+=' } : scalar(answered ?? sent)),
      compound ? `By a key of the items: \`${name}=key=value\`.` : `Any of these values.`,
    ),
    ...(extension === undefined ? {} : { 'x-extension': extension }),
  };
}

/** Ids in the path: of the items above, and of the item itself. */
export function pathParameters(names: readonly string[]): readonly Parameter[] {
  return names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: `The id of the ${name.slice(0, -'_id'.length).replaceAll('_', ' ')}.`,
    schema: { type: 'string' },
  }));
}

/** Which attributes to answer. */
export function fieldsParameter({ attributes }: DescribedResource): Parameter {
  const names = attributes.filter(({ answered }) => answered !== undefined).map(({ name }) => name);
  return query(
    'fields',
    several({ type: 'string', enum: names }),
    'Only these attributes: the answer then lacks all others, those that are required, too.',
  );
}

/** Filters, order and page of a list. */
export function listParameters(described: DescribedResource): readonly Parameter[] {
  const { attributes, resource } = described;
  const keys = attributes.filter(({ sort }) => sort).map(({ name }) => name);
  const tagged = has(described, 'tags');
  return [
    ...attributes
      .filter(({ name, filter: filters }) => filters && !(tagged && name === 'tags'))
      .map((attribute) => filter(attribute, resource.attributes[attribute.name]?.convert_list_to !== undefined)),
    ...(tagged ? TAG_FILTERS : []),
    ...(has(described, 'updated_at') ? [CHANGED_SINCE] : []),
    fieldsParameter(described),
    query('sort_key', several({ type: 'string', enum: keys }), 'Attributes to sort by, the first one first.'),
    query('sort_dir', several({ type: 'string', enum: ['asc', 'desc'] }), 'One for each `sort_key`.'),
    ...PAGE,
  ];
}

/** `If-Match`, where the resource has revisions. */
export function conditions(described: DescribedResource, extensions: ServedExtensions): readonly Parameter[] {
  return extensions.has('revision-if-match') && has(described, 'revision_number') ? [IF_MATCH] : [];
}
