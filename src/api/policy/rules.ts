/**
 * The policy rules of a resource, worked out once: which rule each operation asks, which attributes have a rule of their
 * own for reading, and which for being set.
 */
import { ATTR_NOT_SPECIFIED, type AttributeMap, type AttributeSpec } from '#src/lib/api/attributes.ts';
import type { Operation, ResourceDefinition } from '#src/lib/api/definition.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Policy } from '#src/lib/policy.ts';
import { pluralName, resourceName } from '../naming.ts';

/** An attribute that is asked about when a body sets it. */
interface WriteRule {
  readonly attribute: string;
  /** `create_port:fixed_ips` */
  readonly rule: string;
  readonly defined: boolean;
  /** The attribute's value is an object with known keys: each may have a rule. */
  readonly keyed: boolean;
  readonly default: unknown;
}

export interface ResourceRules {
  readonly operation: Readonly<Record<Operation, string>>;
  /** `get_port:binding:host_id` by attribute: denied, the attribute is left out of answers. */
  readonly read: ReadonlyMap<string, string>;
  readonly create: readonly WriteRule[];
  readonly update: readonly WriteRule[];
}

function keyed(spec: AttributeSpec): boolean {
  return Object.keys(spec.validate ?? {}).some((rule) => rule.startsWith('type:dict'));
}

function writeRules(policy: Policy, prefix: string, attributes: AttributeMap): WriteRule[] {
  return Object.entries(attributes)
    .filter(([, spec]) => spec.enforce_policy)
    .map(([attribute, spec]) => {
      const rule = `${prefix}:${attribute}`;
      return { attribute, rule, defined: policy.defines(rule), keyed: keyed(spec), default: spec.default };
    });
}

function readRules(policy: Policy, prefix: string, attributes: AttributeMap): ReadonlyMap<string, string> {
  const rules = new Map<string, string>();
  for (const attribute of [...Object.keys(attributes), 'project_id']) {
    const rule = `${prefix}:${attribute}`;
    if (policy.defines(rule)) rules.set(attribute, rule);
  }
  return rules;
}

/** Works out the rules of a resource. */
export function compileRules(policy: Policy, definition: ResourceDefinition, attributes: AttributeMap): ResourceRules {
  const name = resourceName(definition);
  const plural = pluralName(definition);
  return {
    operation: {
      list: `get_${name}`,
      show: `get_${name}`,
      create: `create_${name}`,
      update: `update_${name}`,
      delete: `delete_${name}`,
      update_all: `update_${plural}`,
      delete_all: `delete_${plural}`,
      ...definition.policy_names,
    },
    read: readRules(policy, definition.policy_names?.show ?? `get_${name}`, attributes),
    create: writeRules(policy, `create_${name}`, attributes),
    update: writeRules(policy, `update_${name}`, attributes),
  };
}

/** Equality of JSON values, keys in any order. */
function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  const a = left as Resource;
  const b = right as Resource;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

function* subRules(policy: Policy, rule: WriteRule, value: unknown): Generator<string> {
  const objects = Array.isArray(value) ? value : rule.keyed ? [value] : [];
  const keys = new Set<string>();
  for (const object of objects) {
    if (typeof object === 'object' && object !== null && !Array.isArray(object)) {
      for (const key of Object.keys(object)) keys.add(key);
    }
  }
  for (const key of keys) if (policy.defines(`${rule.rule}:${key}`)) yield `${rule.rule}:${key}`;
}

/** The rules of all attributes that a creation sets to something other than their default. */
export function rulesForCreate(policy: Policy, rules: ResourceRules, body: Resource): string[] {
  const asked: string[] = [];
  for (const rule of rules.create) {
    const value = body[rule.attribute];
    if (value === undefined || value === ATTR_NOT_SPECIFIED || sameJson(value, rule.default)) continue;
    if (rule.defined) asked.push(rule.rule);
    asked.push(...subRules(policy, rule, value));
  }
  return asked;
}

/** The rules of all attributes that an update names. */
export function rulesForUpdate(policy: Policy, rules: ResourceRules, body: Resource): string[] {
  const asked: string[] = [];
  for (const rule of rules.update) {
    if (!Object.hasOwn(body, rule.attribute)) continue;
    if (rule.defined) asked.push(rule.rule);
    asked.push(...subRules(policy, rule, body[rule.attribute]));
  }
  return asked;
}

/** The rules of all attributes that an action's body sets below the item's name. */
export function rulesForAction(policy: Policy, action: string, attributes: readonly string[], body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return attributes.flatMap((attribute) => {
    if (!Object.hasOwn(body, attribute)) return [];
    const rule = { attribute, rule: `${action}:${attribute}`, defined: false, keyed: false, default: undefined };
    const own = policy.defines(rule.rule) ? [rule.rule] : [];
    return [...own, ...subRules(policy, rule, (body as Resource)[attribute])];
  });
}
