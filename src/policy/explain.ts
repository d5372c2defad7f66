/** Why a rule holds or not, as a tree and as text: `nucleon policy explain`. */
import type { Context } from '#src/lib/context.ts';
import type { PolicyTarget } from '#src/lib/policy.ts';
import { type Check, checkText } from './check.ts';
import { compileCheck, type Holds } from './compile.ts';
import type { Rule } from './rules.ts';
import { printed, type Template, targetValue } from './template.ts';

/** One check, its outcome, and the checks that it is made of. */
export interface Explanation {
  /** As written: `role:member`. */
  readonly check: string;
  readonly holds: boolean;
  /** What was found: the caller's roles, the object's attribute. */
  readonly because: string;
  readonly parts: readonly Explanation[];
}

/** What the engine lends. */
export interface Rules {
  ruleOf(name: string): Rule | undefined;
  inScope(rule: Rule, context: Context): boolean;
  scopeOf(context: Context): string;
  link(name: string): Holds;
}

/** Explains a rule; never differs from `allows`, since every outcome comes from the same compiled checks. */
export function explainRule(name: string, rules: Rules, context: Context, target: PolicyTarget): Explanation {
  const rule = rules.ruleOf(name);
  const check = `rule:${name}`;
  if (!rule) return { check, holds: false, because: 'no such rule, and no default rule', parts: [] };
  if (!rules.inScope(rule, context)) {
    const because = `the token's scope is ${rules.scopeOf(context)}, the rule is for ${rule.scope_types.join(' or ')}`;
    return { check, holds: false, because, parts: [] };
  }
  return namedRule(check, name, rule, rules, context, target);
}

function namedRule(
  check: string,
  name: string,
  rule: Rule,
  rules: Rules,
  context: Context,
  target: PolicyTarget,
): Explanation {
  const inner = explainCheck(rule.check, rules, context, target);
  const origin = rule.source === 'operator' ? 'from the policy file' : 'as built in';
  const because = rule.name === name ? origin : `not defined, so "${rule.name}" is asked, ${origin}`;
  return { check, holds: inner.holds, because, parts: [inner] };
}

function explainCheck(check: Check, rules: Rules, context: Context, target: PolicyTarget): Explanation {
  const text = checkText(check);
  if (check.kind === 'rule') {
    const rule = rules.ruleOf(check.rule);
    if (!rule) return { check: text, holds: false, because: 'not defined, and no default rule', parts: [] };
    return namedRule(text, check.rule, rule, rules, context, target);
  }
  const inner = check.kind === 'not' ? [check.of] : check.kind === 'and' || check.kind === 'or' ? check.of : [];
  const parts = inner.map((part) => explainCheck(part, rules, context, target));
  const holds = compileCheck(check, rules.link)(context, target);
  return { check: text, holds, because: reason(check, context, target), parts };
}

function reason(check: Check, context: Context, target: PolicyTarget): string {
  switch (check.kind) {
    case 'always':
      return 'always';
    case 'never':
      return 'never';
    case 'and':
      return 'all of';
    case 'or':
      return 'any of';
    case 'not':
      return 'not';
    case 'rule':
      return 'by rule';
    case 'role':
      return `the caller has ${context.roles.length === 0 ? 'no roles' : `the roles ${context.roles.join(', ')}`}`;
    case 'owner':
      return `the caller's project is ${context.project_id ?? 'none'}, ${attributes(check.owner, target)}`;
    case 'field':
      return `${check.field} is ${printed(targetValue(target, check.field)) ?? 'not known'}`;
    case 'credential':
    case 'literal':
      return attributes(check.match, target) || 'compared as written';
  }
}

function attributes(template: Template, target: PolicyTarget): string {
  return template.names.map((name) => `${name} is ${printed(targetValue(target, name)) ?? 'not known'}`).join(', ');
}

/** The explanation as indented lines, `+` for what holds and `-` for what does not. */
export function explainText(explanation: Explanation): string {
  const lines = [`${explanation.check} is ${explanation.holds ? 'allowed' : 'denied'} (${explanation.because})`];
  const add = ({ check, holds, because, parts }: Explanation, depth: number): void => {
    lines.push(`${'  '.repeat(depth)}${holds ? '+' : '-'} ${check} (${because})`);
    for (const part of parts) add(part, depth + 1);
  };
  for (const part of explanation.parts) add(part, 1);
  return lines.join('\n');
}
