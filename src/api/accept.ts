/** The API speaks JSON only: a caller that would not take it is told so. */
import { HttpNotAcceptable } from '#src/lib/errors.ts';

const JSON_RANGES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*', '*']);

function wanted(range: string): boolean {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  return JSON_RANGES.has(type) && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
}

/** Throws 406 unless the Accept header leaves room for JSON. */
export function acceptsJson(headers: Headers): void {
  const accept = headers.get('accept');
  if (accept === null || accept === '' || accept === 'application/json' || accept === '*/*') return;
  if (!accept.split(',').some(wanted)) {
    throw new HttpNotAcceptable(`Only application/json can be answered, which '${accept}' does not accept`);
  }
}
