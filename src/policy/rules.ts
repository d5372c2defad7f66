/**
 * The set of rules: the defaults of the engine and of the plugins, with the operator's in their place. Whatever cannot
 * be right (text that is no check, a rule that needs itself) stops the start; what is merely suspicious is said.
 */
import { parseDocument } from 'yaml';
import { nearest } from '#src/lib/nearest.ts';
import type { PolicyDefault } from '#src/lib/policy.ts';
import { type Check, walk } from './check.ts';
import { PolicyLoadError } from './errors.ts';
import { CheckSyntaxError, parseRule } from './parse.ts';

export interface Rule {
  readonly name: string;
  readonly check: Check;
  readonly source: 'default' | 'operator';
  /** Empty: any scope. */
  readonly scope_types: readonly string[];
}

export interface RuleSet {
  readonly rules: ReadonlyMap<string, Rule>;
  /** What an operator should look at. */
  readonly warnings: readonly string[];
}

/** Merges and checks; throws PolicyLoadError with everything that is wrong. */
export function buildRules(
  defaults: readonly PolicyDefault[],
  overrides: readonly string[],
  defaultRule: string,
): RuleSet {
  const problems: string[] = [];
  const warnings: string[] = [];
  const rules = new Map<string, Rule>();
  const formerNames = new Map<string, string>();

  const parse = (name: string, rule: unknown, where: string): Check | undefined => {
    try {
      return parseRule(rule);
    } catch (error) {
      if (!(error instanceof CheckSyntaxError)) throw error;
      problems.push(`${where} "${name}": ${error.message}`);
      return undefined;
    }
  };

  const texts = new Map<string, string>();
  for (const { name, check: text, scope_types = [], former_name } of defaults) {
    if ((texts.get(name) ?? text) !== text)
      problems.push(`default rule "${name}" is declared twice, with different checks`);
    texts.set(name, text);
    const check = parse(name, text, 'default rule');
    if (check) rules.set(name, { name, check, source: 'default', scope_types });
    if (former_name !== undefined) formerNames.set(former_name, name);
  }

  for (const [written, text] of readOverrides(overrides, problems)) {
    const renamed = rules.has(written) ? undefined : formerNames.get(written);
    if (renamed !== undefined)
      warnings.push(`policy file: "${written}" is the former name of "${renamed}"; write that`);
    const name = renamed ?? written;
    if (!rules.has(name)) {
      const meant = nearest(name, texts.keys());
      const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
      warnings.push(`policy file: no rule "${name}" is known here; it only has effect if another rule names it${hint}`);
    }
    const check = parse(written, text, 'policy file, rule');
    if (check) rules.set(name, { name, check, source: 'operator', scope_types: rules.get(name)?.scope_types ?? [] });
  }

  warnings.push(...undefinedReferences(rules, defaultRule));
  problems.push(...circles(rules, defaultRule));
  if (problems.length > 0) throw new PolicyLoadError(problems);
  return { rules, warnings };
}

/** The operator's rules by name; later texts win. */
function readOverrides(texts: readonly string[], problems: string[]): ReadonlyMap<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const text of texts) {
    const document = parseDocument(text);
    for (const error of document.errors) problems.push(`policy file: ${error.message}`);
    const content: unknown = document.errors.length > 0 ? null : document.toJS();
    if (content === null) continue;
    if (typeof content !== 'object' || Array.isArray(content)) {
      problems.push('policy file: it must map names of rules to checks');
      continue;
    }
    for (const [name, rule] of Object.entries(content)) merged.set(name, rule);
  }
  return merged;
}

function references({ check }: Rule): string[] {
  return [...walk(check)].flatMap((part) => (part.kind === 'rule' ? [part.rule] : []));
}

function undefinedReferences(rules: ReadonlyMap<string, Rule>, defaultRule: string): string[] {
  return [...rules.values()].flatMap((rule) =>
    references(rule)
      .filter((name) => !rules.has(name))
      .map((name) => {
        const meant = nearest(name, rules.keys());
        const hint = meant === undefined ? '' : `; did you mean "rule:${meant}"?`;
        return `rule "${rule.name}" asks "rule:${name}", which is not defined: "${defaultRule}" is asked instead${hint}`;
      }),
  );
}

function circles(rules: ReadonlyMap<string, Rule>, defaultRule: string): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    const rule = rules.get(name) ?? rules.get(defaultRule);
    if (!rule || done.has(rule.name)) return;
    const at = path.indexOf(rule.name);
    if (at >= 0) {
      found.push(`rules ask each other in a circle: ${[...path.slice(at), rule.name].join(' -> ')}`);
      return;
    }
    for (const next of references(rule)) visit(next, [...path, rule.name]);
    done.add(rule.name);
  };
  for (const name of rules.keys()) visit(name, []);
  return found;
}
