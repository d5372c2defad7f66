/** The engine: rules compiled once, then asked with a caller and an object. */
import type { Context } from '#src/lib/context.ts';
import { PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Policy, PolicyDefault, PolicyTarget } from '#src/lib/policy.ts';
import { baseRules } from './base.ts';
import { parentField, walk } from './check.ts';
import { compileCheck, type Holds } from './compile.ts';
import { type Explanation, explainRule } from './explain.ts';
import { buildRules, type Rule } from './rules.ts';
import type { Template } from './template.ts';

export interface PolicyOptions {
  /** Of the plugins; the engine's own base rules come with it. */
  readonly defaults: readonly PolicyDefault[];
  /** The operator's policy file, or several (later ones win), as YAML text. */
  readonly overrides?: string | readonly string[];
  readonly log: Logger;
  /** `[oslo_policy] enforce_scope`; true unless told. */
  readonly enforceScope?: boolean;
  /** `[oslo_policy] policy_default_rule`; `default` unless told. */
  readonly defaultRule?: string;
}

/** A policy that can also say why. */
export interface ExplainingPolicy extends Policy {
  explain(rule: string, context: Context, target: PolicyTarget): Explanation;
}

/** Builds the policy; throws PolicyLoadError if a rule cannot be used. */
export function createPolicy(options: PolicyOptions): ExplainingPolicy {
  const { defaults, overrides = [], log, enforceScope = true, defaultRule = 'default' } = options;
  const { rules, warnings } = buildRules([...baseRules, ...defaults], [overrides].flat(), defaultRule);
  for (const warning of warnings) log.warn(warning);

  const ruleOf = (name: string): Rule | undefined => rules.get(name) ?? rules.get(defaultRule);
  const compiled = new Map<string, Holds>();
  const link = (name: string): Holds => {
    const rule = ruleOf(name);
    // Looked up at the first call, when all are compiled.
    return rule ? (context, target) => compiled.get(rule.name)!(context, target) : () => false;
  };
  for (const rule of rules.values()) compiled.set(rule.name, compileCheck(rule.check, link));

  const inScope = (rule: Rule, context: Context) =>
    !enforceScope || rule.scope_types.length === 0 || rule.scope_types.includes(scopeOf(context));

  function allows(context: Context, name: string, target: PolicyTarget): boolean {
    const rule = ruleOf(name);
    return rule !== undefined && inScope(rule, context) && compiled.get(rule.name)!(context, target);
  }

  const readByRule = new Map<string, Reads>();
  function reads(name: string): Reads {
    const known = readByRule.get(name);
    if (known) return known;
    const attributes = new Set<string>();
    const parents = new Set<string>();
    collectReads(name, ruleOf, new Set(), attributes, parents);
    const found = { attributes: [...attributes].toSorted(), parents: [...parents].toSorted() };
    readByRule.set(name, found);
    return found;
  }

  return {
    allows,
    defines: (name) => rules.has(name),
    enforce(context, name, target) {
      if (!allows(context, name, target)) throw new PolicyNotAuthorized(`rule:${name}`);
    },
    parents: (name) => reads(name).parents,
    attributes: (name) => reads(name).attributes,
    explain: (name, context, target) => explainRule(name, { ruleOf, inScope, link, scopeOf }, context, target),
  };
}

/** What the caller's token is for; one that names nothing counts as a project's, as in oslo.policy. */
function scopeOf(context: Context): string {
  if (context.system_scope !== null) return 'system';
  return context.domain_id === null ? 'project' : 'domain';
}

/** What a rule may ask of an object, and of its parents. */
interface Reads {
  readonly attributes: readonly string[];
  readonly parents: readonly string[];
}

function collectReads(
  name: string,
  ruleOf: (name: string) => Rule | undefined,
  seen: Set<string>,
  attributes: Set<string>,
  parents: Set<string>,
): void {
  const rule = ruleOf(name);
  if (!rule || seen.has(rule.name)) return;
  seen.add(rule.name);
  const fromTemplate = (template: Template) => {
    for (const attribute of template.names) {
      attributes.add(attribute);
      if (attribute.includes(':')) parents.add(attribute);
    }
  };
  for (const part of walk(rule.check)) {
    if (part.kind === 'rule') collectReads(part.rule, ruleOf, seen, attributes, parents);
    else if (part.kind === 'owner') fromTemplate(part.owner);
    else if (part.kind === 'role') fromTemplate(part.role);
    else if (part.kind === 'credential' || part.kind === 'literal') fromTemplate(part.match);
    else if (part.kind === 'field') {
      attributes.add(part.field);
      parents.add(parentField(part.collection, part.field));
    }
  }
}
