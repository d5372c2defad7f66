/**
 * A resource as the description tells it: where it is, and its attributes with their types, defaults, rules and origins. The
 * document and the page to read are both made from this.
 */
import { ATTR_NOT_SPECIFIED, type AttributeSpec, type Json } from '#src/lib/api/attributes.ts';
import type { Schema } from '#src/lib/api/schema.ts';
import type { Policy } from '#src/lib/policy.ts';
import type { ServedExtensions } from '../router/extensions.ts';
import type { ApiResource, ResourceIndex } from '../router/resource.ts';
import { API_ROOT } from '../versions.ts';
import { attributeSchemas, defaultOf } from './attributes.ts';

/** What the description is made from. */
export interface Source {
  readonly resources: ResourceIndex;
  readonly extensions: ServedExtensions;
  readonly policy: Policy;
}

export interface DescribedAttribute {
  readonly name: string;
  /** What a body may carry. */
  readonly sent: Schema;
  /** What answers carry; undefined where it is never shown. */
  readonly answered: Schema | undefined;
  /** Policy may leave it out of an answer. */
  readonly withheld: boolean;
  /** Not every answer has it. */
  readonly optional: boolean;
  readonly create: boolean;
  readonly update: boolean;
  /** A creation must name it. */
  readonly mandatory: boolean;
  readonly default: Json | undefined;
  readonly filter: boolean;
  readonly sort: boolean;
  /** The policy rule that setting it asks, without the operation: `port:mac_address`. */
  readonly policy: string | undefined;
  /** The extension that adds it; undefined for what the resource has of itself. */
  readonly extension: string | undefined;
}

export interface DescribedResource {
  readonly resource: ApiResource;
  /** `SecurityGroupRule` */
  readonly title: string;
  /** `/v2.0/ports/{port_id}/bindings` */
  readonly path: string;
  /** `binding_id`: what names an item below the path. */
  readonly item: string;
  /** What the path has in braces. */
  readonly parameters: readonly string[];
  /** The extension that brings it; undefined for the core's. */
  readonly extension: string | undefined;
  readonly attributes: readonly DescribedAttribute[];
}

const OWNER: Readonly<Record<string, string>> = { project_id: 'tenant_id', tenant_id: 'project_id' };

const shown = (segment: string): string => segment.replaceAll('_', '-');
const itemParameter = (resource: ApiResource): string => `${resource.definition.member}_id`;

function pathOf(resource: ApiResource): string {
  const { parent, definition } = resource;
  const above =
    parent === undefined
      ? API_ROOT + shown(definition.path_prefix ?? '')
      : `${pathOf(parent)}/{${itemParameter(parent)}}`;
  return `${above}/${shown(definition.collection)}`;
}

function parametersOf({ parent }: ApiResource): readonly string[] {
  return parent === undefined ? [] : [...parametersOf(parent), itemParameter(parent)];
}

/** `security_group_rule` as `SecurityGroupRule`. */
function titleOf(name: string): string {
  return name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** All attributes by name; the owner has two. */
function namedSpecs(resource: ApiResource): readonly (readonly [string, AttributeSpec])[] {
  const specs = Object.entries(resource.attributes);
  const owner = specs.find(([name]) => OWNER[name] !== undefined);
  const other = owner === undefined ? undefined : OWNER[owner[0]];
  if (owner === undefined || other === undefined || Object.hasOwn(resource.attributes, other)) return specs;
  return specs.flatMap((entry) => (entry === owner ? [owner, [other, owner[1]] as const] : [entry]));
}

/** The extension that the attribute comes from: the last that names it, as in the merged map. */
function originOf(resource: ApiResource, name: string, extensions: ServedExtensions): string | undefined {
  const { collection, parent } = resource.definition;
  const places = parent === undefined ? [collection] : [`${parent.collection}/${collection}`, collection];
  return [...extensions.values()]
    .reverse()
    .find(({ definition }) => places.some((place) => definition.attributes?.[place]?.[name] !== undefined))?.definition
    .alias;
}

function describeAttribute(
  resource: ApiResource,
  [name, spec]: readonly [string, AttributeSpec],
  extensions: ServedExtensions,
): DescribedAttribute {
  const { rules, definition } = resource;
  const { sent, kept } = attributeSchemas(spec);
  const ruled = [...rules.create, ...rules.update].some((rule) => rule.attribute === name && rule.defined);
  const optional = spec.default !== undefined || OWNER[name] !== undefined;
  return {
    name,
    sent,
    answered: spec.is_visible ? kept : undefined,
    withheld: rules.read.has(name) || rules.read.has(OWNER[name] ?? name),
    optional: spec.default === ATTR_NOT_SPECIFIED && !spec.allow_post && !spec.allow_put,
    create: spec.allow_post,
    update: spec.allow_put,
    mandatory: spec.allow_post && !optional,
    default: defaultOf(spec),
    filter: !extensions.has('filter-validation') || spec.is_filter === true,
    sort: spec.is_sort_key === true,
    policy: ruled ? `${definition.member}:${name}` : undefined,
    extension: originOf(resource, name, extensions),
  };
}

/** Describes a resource. */
export function describeResource(resource: ApiResource, { extensions }: Source): DescribedResource {
  const bringing = [...extensions.values()].find(({ definition }) =>
    definition.resources?.includes(resource.definition),
  );
  return {
    resource,
    title: titleOf(resource.name),
    path: pathOf(resource),
    item: itemParameter(resource),
    parameters: parametersOf(resource),
    extension: bringing?.definition.alias,
    attributes: namedSpecs(resource).map((entry) => describeAttribute(resource, entry, extensions)),
  };
}
