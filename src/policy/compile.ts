/**
 * Turns a check into a closure, once at load: a request then walks no tree and parses no text. Rules are linked by name
 * through `link`, late, so that their order does not matter.
 */
import type { Context } from '#src/lib/context.ts';
import type { PolicyTarget } from '#src/lib/policy.ts';
import { type Check, parentField } from './check.ts';
import { printed, targetValue } from './template.ts';

/** Whether a check holds for the caller and the object. */
export type Holds = (context: Context, target: PolicyTarget) => boolean;

/** Compiles a check; `link` gives the closure of a rule by name. */
export function compileCheck(check: Check, link: (rule: string) => Holds): Holds {
  switch (check.kind) {
    case 'always':
      return () => true;
    case 'never':
      return () => false;
    case 'and': {
      const parts = check.of.map((part) => compileCheck(part, link));
      return (context, target) => parts.every((part) => part(context, target));
    }
    case 'or': {
      const parts = check.of.map((part) => compileCheck(part, link));
      return (context, target) => parts.some((part) => part(context, target));
    }
    case 'not': {
      const inner = compileCheck(check.of, link);
      return (context, target) => !inner(context, target);
    }
    case 'rule':
      return link(check.rule);
    case 'role':
      return compileRole(check);
    case 'owner':
      return (context, target) => {
        const owner = check.owner.fill(target);
        // An object or a caller without a project owns nothing and is owned by nobody, however alike they look.
        return context.project_id !== null && owner !== undefined && owner === context.project_id;
      };
    case 'field':
      return compileField(check);
    case 'credential':
      return (context, target) => {
        const match = check.match.fill(target);
        return match !== undefined && found(credentials(context), check.path, match);
      };
    case 'literal':
      return (_, target) => check.match.fill(target) === check.value;
  }
}

function compileRole({ role }: Extract<Check, { kind: 'role' }>): Holds {
  const has = (context: Context, wanted: string) => context.roles.some((held) => held.toLowerCase() === wanted);
  if (role.names.length === 0) {
    const wanted = role.text.toLowerCase();
    return (context) => has(context, wanted);
  }
  return (context, target) => {
    const wanted = role.fill(target);
    return wanted !== undefined && has(context, wanted.toLowerCase());
  };
}

function compileField({ collection, field, value }: Extract<Check, { kind: 'field' }>): Holds {
  const inParent = parentField(collection, field);
  const read = (target: PolicyTarget) => targetValue(target, field) ?? target[inParent];
  if (typeof value !== 'string') {
    // Anchored at the start, as Python's match().
    const pattern = new RegExp(`^(?:${value.source})`);
    return (_, target) => {
      const actual = read(target);
      return typeof actual === 'string' && pattern.test(actual);
    };
  }
  const asBoolean = BOOLEANS.get(value.toLowerCase());
  return (_, target) => {
    const actual = read(target);
    if (actual === undefined || actual === null) return false;
    return typeof actual === 'boolean' ? actual === asBoolean : printed(actual) === value;
  };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The context as oslo.policy's credentials, Neutron's older names included. */
function credentials(context: Context): Readonly<Record<string, unknown>> {
  return {
    ...context,
    tenant_id: context.project_id,
    tenant: context.project_id,
    tenant_name: context.project_name,
    user: context.user_id,
    system: context.system_scope,
    is_admin_project: true,
  };
}

/** Follows a path through objects; in a list any item may match. */
function found(value: unknown, path: readonly string[], match: string): boolean {
  if (Array.isArray(value)) return value.some((item) => found(item, path, match));
  const [step, ...rest] = path;
  if (step === undefined) return printed(value) === match;
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return false;
  return found((value as Readonly<Record<string, unknown>>)[step], rest, match);
}
