/**
 * A private copy of a request's value: rules convert in place, and what nothing downstream can keep or walk is refused here
 * once: NUL characters and lone surrogates (PostgreSQL stores neither) and bottomless nesting.
 */
import { HttpBadRequest } from '../errors.ts';

const MAX_DEPTH = 32;
/** Throws 400 unless the text can be stored. */
export function checkText(attribute: string, text: string): void {
  if (text.includes('\0')) throw refuse(attribute, 'a NUL character is not allowed');
  if (!text.isWellFormed()) throw refuse(attribute, 'the text is not well-formed Unicode (a lone surrogate)');
}

/** Copies a JSON value deeply; throws 400 for what cannot be stored. */
export function cleanCopy(attribute: string, value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    checkText(attribute, value);
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) throw refuse(attribute, `the value is nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) return value.map((item) => cleanCopy(attribute, item, depth + 1));
  // fromEntries defines its keys, so that `__proto__` is one like any other.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      checkText(attribute, key);
      return [key, cleanCopy(attribute, member, depth + 1)];
    }),
  );
}

function refuse(attribute: string, reason: string) {
  return new HttpBadRequest(`Invalid input for ${attribute}. Reason: ${reason}.`);
}
