/**
 * Reads oslo.policy's language. Words are parted by blanks; parentheses may touch a word. `not` binds closest, then
 * `and`, then `or`. A rule may also be a list (in YAML): any of its items must hold, an item that is itself a list needs
 * all of its own.
 */
import type { Check } from './check.ts';
import { parseTemplate, type Template } from './template.ts';

/** What a rule's text is wrong about. */
export class CheckSyntaxError extends Error {
  override readonly name = 'CheckSyntaxError';
}

type Token = '(' | ')' | 'and' | 'or' | 'not' | { readonly check: string };

/** Reads a check string; the empty one always holds. */
export function parseCheck(text: string): Check {
  const tokens = tokenize(text);
  if (tokens.length === 0) return { kind: 'always' };
  let at = 0;

  function either(): Check {
    return chain('or', () => chain('and', negation));
  }
  function chain(operator: 'and' | 'or', operand: () => Check): Check {
    const of = [operand()];
    while (tokens[at] === operator) {
      at++;
      of.push(operand());
    }
    return of.length === 1 ? of[0]! : { kind: operator, of };
  }
  function negation(): Check {
    if (tokens[at] !== 'not') return primary();
    at++;
    return { kind: 'not', of: negation() };
  }
  function primary(): Check {
    const token = tokens[at++];
    if (token === '(') {
      const inner = either();
      if (tokens[at++] !== ')') throw new CheckSyntaxError('a "(" is never closed');
      return inner;
    }
    if (typeof token === 'object') return parseSimpleCheck(token.check);
    throw new CheckSyntaxError(
      token === undefined ? 'it ends where a check is expected' : `"${token}" stands where a check is expected`,
    );
  }

  const check = either();
  const left = tokens[at];
  if (left !== undefined) {
    throw new CheckSyntaxError(
      `"${typeof left === 'object' ? left.check : left}" stands where "and" or "or" is expected`,
    );
  }
  return check;
}

/** Reads a rule as YAML gives it: a string, or lists of strings. */
export function parseRule(rule: unknown): Check {
  if (typeof rule === 'string') return parseCheck(rule);
  if (!Array.isArray(rule)) throw new CheckSyntaxError('it must be a text or a list; write "@" to allow everybody');
  if (rule.length === 0) return { kind: 'always' };
  const alternatives = rule
    .map((item: unknown) => (Array.isArray(item) ? item : [item]))
    .filter((item) => item.length > 0)
    .map((item): Check => combine('and', item.map(listItem)));
  return alternatives.length === 0 ? { kind: 'never' } : combine('or', alternatives);
}

function listItem(item: unknown): Check {
  if (typeof item !== 'string') throw new CheckSyntaxError('a list may hold texts and lists of texts only');
  return parseSimpleCheck(item.trim());
}

function combine(kind: 'and' | 'or', of: readonly Check[]): Check {
  return of.length === 1 ? of[0]! : { kind, of };
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const opening = /^\(*/.exec(word)![0].length;
    // A regular expression may hold parentheses of its own: only those that nothing in the word opens are ours.
    const bare = word.slice(opening);
    const trailing = /\)*$/.exec(bare)![0].length;
    const own = Math.max(
      0,
      count(bare.slice(0, bare.length - trailing), '(') - count(bare.slice(0, bare.length - trailing), ')'),
    );
    const closing = Math.max(0, trailing - own);
    const inner = bare.slice(0, bare.length - closing);
    for (let i = 0; i < opening; i++) tokens.push('(');
    const operator = inner.toLowerCase();
    if (operator === 'and' || operator === 'or' || operator === 'not') tokens.push(operator);
    else if (inner !== '') tokens.push({ check: inner });
    for (let i = 0; i < closing; i++) tokens.push(')');
  }
  return tokens;
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

function parseSimpleCheck(text: string): Check {
  if (text === '@' || text === '') return { kind: 'always' };
  if (text === '!') return { kind: 'never' };
  const literal = /^("[^"]*"|'[^']*'):/.exec(text)?.[1];
  const at = literal?.length ?? text.indexOf(':');
  if (at < 0) throw new CheckSyntaxError(`"${text}" is no check; a check is "kind:match", "@" or "!"`);
  const kind = text.slice(0, at);
  const match = text.slice(at + 1);
  const build = KINDS.get(kind);
  return build ? build(kind, match) : generic(kind, match);
}

const KINDS: ReadonlyMap<string, (kind: string, match: string) => Check> = new Map(
  Object.entries({
    rule: (_: string, rule: string): Check => ({ kind: 'rule', rule }),
    role: (_: string, match: string): Check => ({ kind: 'role', role: template(match) }),
    project_id: owner,
    tenant_id: owner,
    field,
    http: remote,
    https: remote,
  }),
);

function owner(written: string, match: string): Check {
  return { kind: 'owner', written, owner: template(match) };
}

function remote(kind: string): Check {
  throw new CheckSyntaxError(
    `"${kind}:" asks a remote server, which is not supported: a decision must not wait for another server; write the rule with roles and attributes`,
  );
}

function field(_: string, match: string): Check {
  // The field may hold a colon itself (router:external), the collection does not.
  const [, collection, name, value] = /^([^:]+):([^=]+)=(.*)$/s.exec(match) ?? [];
  if (collection === undefined || name === undefined || value === undefined) {
    throw new CheckSyntaxError(`"field:${match}" must read "field:collection:attribute=value"`);
  }
  if (!value.startsWith('~')) return { kind: 'field', collection, field: name, value };
  try {
    return { kind: 'field', collection, field: name, value: new RegExp(value.slice(1)) };
  } catch {
    throw new CheckSyntaxError(`"${value.slice(1)}" in "field:${match}" is no regular expression`);
  }
}

/** What Python reads as a literal; anything else is a path into the credentials. */
function generic(kind: string, match: string): Check {
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(kind);
  const value = quoted
    ? (quoted[1] ?? quoted[2]!)
    : /^(None|True|False|[+-]?\d+(\.\d+)?)$/.test(kind)
      ? kind
      : undefined;
  if (value !== undefined) return { kind: 'literal', written: kind, value, match: template(match) };
  return { kind: 'credential', path: kind.split('.'), match: template(match) };
}

function template(text: string): Template {
  const parsed = parseTemplate(text);
  if (!parsed) throw new CheckSyntaxError(`"${text}" has a "%" that begins neither "%(name)s" nor "%%"`);
  return parsed;
}
