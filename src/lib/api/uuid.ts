/** UUIDs as clients may write them: any case, hyphens or none, braces; `isUuid` of src/lib/ids.ts knows only the kept form. */

const USUAL = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const DIGITS = /^[0-9a-f]{32}$/i;

/** Whether a value is a UUID in one of those forms. */
export function isUuidLike(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return USUAL.test(value) || DIGITS.test(value.replace(/^\{(.*)\}$/, '$1').replaceAll('-', ''));
}
