/** The engine: rules compiled once, then asked with a caller and an object. */
import type { Context } from '#src/lib/context.ts';
import { PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Policy, PolicyDefault, PolicyTarget } from '#src/lib/policy.ts';
import { baseRules } from './base.ts';
import { type Check, parentField } from './check.ts';
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

  const readByRule = new Map<string, RuleReading>();
  function reads(name: string): RuleReading {
    let found = readByRule.get(name);
    if (found === undefined) {
      found = new Reads(ruleOf).of(name);
      readByRule.set(name, found);
    }
    return found;
  }

  return {
    allows,
    defines: (name) => rules.has(name),
    enforce(context, name, target) {
      if (!allows(context, name, target)) throw new PolicyNotAuthorized(`rule:${name}`);
    },
    parents: (name) => reads(name).parents,
    parentsMayForbid: (name) => reads(name).parentsMayForbid,
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
interface RuleReading {
  readonly attributes: readonly string[];
  readonly parents: readonly string[];
  /** Whether a parent is asked about behind a `not`. */
  readonly parentsMayForbid: boolean;
}

/** Finds it, through the rules that a rule names. */
class Reads {
  readonly #attributes = new Set<string>();
  readonly #parents = new Set<string>();
  #parentsMayForbid = false;
  readonly #ruleOf: (name: string) => Rule | undefined;
  readonly #seen = new Set<string>();

  constructor(ruleOf: (name: string) => Rule | undefined) {
    this.#ruleOf = ruleOf;
  }

  of(name: string): RuleReading {
    this.#rule(name, false);
    return {
      attributes: [...this.#attributes].toSorted(),
      parents: [...this.#parents].toSorted(),
      parentsMayForbid: this.#parentsMayForbid,
    };
  }

  #rule(name: string, negated: boolean): void {
    const rule = this.#ruleOf(name);
    const key = `${negated} ${rule?.name}`;
    if (rule === undefined || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#check(rule.check, negated);
  }

  #check(check: Check, negated: boolean): void {
    switch (check.kind) {
      case 'and':
      case 'or':
        for (const part of check.of) this.#check(part, negated);
        break;
      case 'not':
        // Twice negated is asked plainly again, but no rule is written so: it is counted with the others.
        this.#check(check.of, true);
        break;
      case 'rule':
        this.#rule(check.rule, negated);
        break;
      case 'owner':
        this.#template(check.owner, negated);
        break;
      case 'role':
        this.#template(check.role, negated);
        break;
      case 'credential':
      case 'literal':
        this.#template(check.match, negated);
        break;
      case 'field':
        this.#attributes.add(check.field);
        this.#parent(parentField(check.collection, check.field), negated);
        break;
    }
  }

  #template(template: Template, negated: boolean): void {
    for (const attribute of template.names) {
      this.#attributes.add(attribute);
      if (attribute.includes(':')) this.#parent(attribute, negated);
    }
  }

  #parent(attribute: string, negated: boolean): void {
    this.#parents.add(attribute);
    this.#parentsMayForbid ||= negated;
  }
}
