/**
 * Bodies against attribute maps (neutron_lib.api.attributes): what a client sent becomes what a plugin's verb is given, or a
 * 400. An attribute map is compiled once, at start; per request nothing is looked up by name but the body's own keys.
 *
 * The order of the checks is Neutron's, and clients see it:
 *   shape of the body → project → unknown attributes → per attribute: may it be sent, is it missing (defaults on POST)
 *   → per attribute: convert, then validate
 * Attributes are taken in the map's order. What the client may leave out and has no value stays absent.
 */
import type { Context } from '../context.ts';
import { HttpBadRequest } from '../errors.ts';
import type { Resource } from '../plugin.ts';
import {
  ATTR_NOT_SPECIFIED,
  type AttributeMap,
  type AttributeSpec,
  type Converter,
  type Json,
  type Validator,
} from './attributes.ts';
import { checkText, cleanCopy } from './clean.ts';
import { pythonEquals } from './python.ts';
import { type AttributeRules, defaultAttributeRules } from './rules.ts';
import { lookUp } from './validators/mod.ts';

/** The names of an object's owner; the same value. */
const OWNER = ['project_id', 'tenant_id'] as const;

type Caller = Pick<Context, 'project_id' | 'is_admin' | 'is_advsvc' | 'is_service'>;

interface CompiledAttribute {
  readonly name: string;
  readonly allowPost: boolean;
  readonly allowPut: boolean;
  /** Undefined where the attribute is mandatory. */
  readonly default: Json | typeof ATTR_NOT_SPECIFIED | undefined;
  readonly convert: Converter | undefined;
  readonly convertList: Converter | undefined;
  readonly rules: readonly { readonly check: Validator; readonly argument: unknown }[];
}

/** An attribute map, ready for bodies. */
export interface CompiledAttributes {
  readonly attributes: readonly CompiledAttribute[];
  readonly names: ReadonlySet<string>;
  /** Whether objects belong to a project, which is the caller's unless the body says another. */
  readonly owned: boolean;
}

/** Resolves the names of rules and converters in a map; throws a TypeError for one that does not exist. */
export function compileAttributes(
  map: AttributeMap,
  rules: AttributeRules = defaultAttributeRules,
): CompiledAttributes {
  const owner = map['project_id'] ?? map['tenant_id'];
  const specs = new Map(Object.entries(map));
  // Either name of the owner is understood wherever one is.
  if (owner !== undefined) {
    for (const name of OWNER) if (!specs.has(name)) specs.set(name, owner);
  }
  return {
    attributes: Array.from(specs, ([name, spec]) => compile(name, spec, rules)),
    names: new Set(specs.keys()),
    owned: owner?.allow_post === true,
  };
}

/** Checks and completes the attributes that a client sent for one object (the value of `network` in the body). */
export function prepareBody(
  compiled: CompiledAttributes,
  body: unknown,
  method: 'POST' | 'PUT',
  context: Caller,
): Resource {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HttpBadRequest('Body contains invalid data');
  }
  const sent = new Map<string, unknown>(Object.entries(body));
  checkProject(sent, context);
  const unknown = [...sent.keys()].filter((name) => !compiled.names.has(name));
  if (unknown.length > 0) throw new HttpBadRequest(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  ownProject(compiled, sent, method, context);

  const prepared: Record<string, unknown> = {};
  if (method === 'POST') fillPost(compiled, sent, prepared);
  else takePut(compiled, sent, prepared);
  for (const attribute of compiled.attributes) {
    if (Object.hasOwn(prepared, attribute.name)) prepared[attribute.name] = settle(attribute, prepared[attribute.name]);
  }
  return prepared;
}

/**
 * The values of a filter as the attribute keeps them (`admin_state_up=False` gives `[false]`); a dictionary of lists where
 * the attribute has `convert_list_to` (`fixed_ips=ip_address=10.0.0.3`). Throws 400 for values that cannot be.
 */
export function convertFilterValue(compiled: CompiledAttributes, name: string, values: readonly string[]): Json {
  for (const value of values) checkText(name, value);
  const attribute = compiled.attributes.find((candidate) => candidate.name === name);
  if (attribute?.convertList !== undefined) return attribute.convertList(values) as Json;
  const convert = attribute?.convert;
  return convert === undefined ? values : values.map((value) => convert(value) as Json);
}

function compile(name: string, spec: AttributeSpec, rules: AttributeRules): CompiledAttribute {
  return {
    name,
    allowPost: spec.allow_post,
    allowPut: spec.allow_put,
    default: spec.default,
    convert: converter(spec.convert_to, rules),
    convertList: converter(spec.convert_list_to, rules),
    rules: Object.entries(spec.validate ?? {}).map(([rule, argument]) =>
      typeof argument === 'function'
        ? { check: argument as Validator, argument: undefined }
        : { check: lookUp<Validator>(rules.validators, rule), argument },
    ),
  };
}

function converter(named: AttributeSpec['convert_to'], rules: AttributeRules): Converter | undefined {
  return typeof named === 'string' ? lookUp<Converter>(rules.converters, named) : named;
}

/** `tenant_id` and `project_id` are one; only privileged callers may name another project than their own. */
function checkProject(sent: ReadonlyMap<string, unknown>, context: Caller): void {
  const sentAs = OWNER.filter((name) => sent.has(name));
  if (sentAs.length === 0) return;
  const [project, again = project] = sentAs.map((name) => sent.get(name));
  if (!pythonEquals(project, again)) throw new HttpBadRequest("'project_id' and 'tenant_id' do not match");
  const privileged = context.is_admin || context.is_advsvc || context.is_service;
  if (!privileged && project !== context.project_id) {
    throw new HttpBadRequest(
      "Only privileged callers may set 'project_id' or 'tenant_id' to a project other than their own",
    );
  }
}

/** Sets the owner under both its names. */
function ownProject(
  compiled: CompiledAttributes,
  sent: Map<string, unknown>,
  method: 'POST' | 'PUT',
  context: Caller,
): void {
  const sentAs = OWNER.find((name) => sent.has(name));
  const own = method === 'POST' && compiled.owned ? context.project_id : null;
  if (sentAs === undefined && own === null) return;
  const project = sentAs === undefined ? own : sent.get(sentAs);
  for (const name of OWNER) sent.set(name, project);
}

function fillPost(
  compiled: CompiledAttributes,
  sent: ReadonlyMap<string, unknown>,
  prepared: Record<string, unknown>,
): void {
  for (const { name, allowPost, default: standard } of compiled.attributes) {
    if (!allowPost) {
      if (sent.has(name)) throw new HttpBadRequest(`Attribute '${name}' not allowed in POST`);
    } else if (sent.has(name)) {
      prepared[name] = cleanCopy(name, sent.get(name));
    } else if (standard === undefined) {
      throw new HttpBadRequest(`Failed to parse request. Required attribute '${name}' not specified`);
    } else if (standard !== ATTR_NOT_SPECIFIED) {
      prepared[name] = cleanCopy(name, standard);
    }
  }
}

function takePut(
  compiled: CompiledAttributes,
  sent: ReadonlyMap<string, unknown>,
  prepared: Record<string, unknown>,
): void {
  for (const { name, allowPut } of compiled.attributes) {
    if (!sent.has(name)) continue;
    if (!allowPut) throw new HttpBadRequest(`Cannot update read-only attribute ${name}`);
    prepared[name] = cleanCopy(name, sent.get(name));
  }
}

function settle(attribute: CompiledAttribute, value: unknown): unknown {
  const converted = attribute.convert === undefined ? value : attribute.convert(value);
  for (const { check, argument } of attribute.rules) {
    const wrong = check(converted, argument);
    if (wrong !== null) throw new HttpBadRequest(`Invalid input for ${attribute.name}. Reason: ${wrong}.`);
  }
  return converted;
}
