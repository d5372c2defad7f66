/** A check as a tree: what `parse.ts` makes of oslo.policy's language, and `compile.ts` of it. */
import type { Template } from './template.ts';

export type Check =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Check[] }
  | { readonly kind: 'not'; readonly of: Check }
  /** `rule:admin_only` */
  | { readonly kind: 'rule'; readonly rule: string }
  /** `role:member`, `role:%(wanted)s` */
  | { readonly kind: 'role'; readonly role: Template }
  /** `project_id:%(network:project_id)s`: the caller's project owns the object, or its parent. */
  | { readonly kind: 'owner'; readonly written: string; readonly owner: Template }
  /** `field:networks:shared=True`, `field:port:device_owner=~^network:` */
  | { readonly kind: 'field'; readonly collection: string; readonly field: string; readonly value: string | RegExp }
  /** `user_id:%(user_id)s`: something the caller's credentials hold. */
  | { readonly kind: 'credential'; readonly path: readonly string[]; readonly match: Template }
  /** `'text':%(attribute)s`, `None:%(attribute)s` */
  | { readonly kind: 'literal'; readonly written: string; readonly value: string; readonly match: Template };

/** The check as it would be written. */
export function checkText(check: Check): string {
  switch (check.kind) {
    case 'always':
      return '@';
    case 'never':
      return '!';
    case 'and':
    case 'or':
      return check.of
        .map((part) => (isSimple(part) ? checkText(part) : `(${checkText(part)})`))
        .join(` ${check.kind} `);
    case 'not':
      return isSimple(check.of) ? `not ${checkText(check.of)}` : `not (${checkText(check.of)})`;
    case 'rule':
      return `rule:${check.rule}`;
    case 'role':
      return `role:${check.role.text}`;
    case 'owner':
      return `${check.written}:${check.owner.text}`;
    case 'field': {
      const value = typeof check.value === 'string' ? check.value : `~${check.value.source}`;
      return `field:${check.collection}:${check.field}=${value}`;
    }
    case 'credential':
      return `${check.path.join('.')}:${check.match.text}`;
    case 'literal':
      return `${check.written}:${check.match.text}`;
  }
}

/** All checks of the tree, outermost first. */
export function* walk(check: Check): Generator<Check> {
  yield check;
  if (check.kind === 'not') yield* walk(check.of);
  else if (check.kind === 'and' || check.kind === 'or') for (const part of check.of) yield* walk(part);
}

/** The attribute of a parent under which a field check finds what the object itself lacks: `network:shared`. */
export function parentField(collection: string, field: string): string {
  return `${singular(collection)}:${field}`;
}

function singular(collection: string): string {
  if (collection.endsWith('ies')) return `${collection.slice(0, -3)}y`;
  return collection.endsWith('s') ? collection.slice(0, -1) : collection;
}

function isSimple(check: Check): boolean {
  return check.kind !== 'and' && check.kind !== 'or' && check.kind !== 'not';
}
