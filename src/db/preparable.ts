/**
 * Which statements are prepared. PostgreSQL keeps a prepared statement as long as its connection lives, and callers choose
 * the text of a list by what they filter, sort and ask for: without a bound they could fill its memory. The first
 * texts of each declaration are prepared, which are those that clients really send; later ones are parsed each time.
 */

/** Texts for each declaration: more than clients use, few enough for every connection to hold. */
const LIMIT = 100;

// Lives and dies with the declarations that its keys are.
const known = new WeakMap<object, Set<string>>();

/** Whether to prepare the text; `declaration` is the constant that it is made from. */
export function isPreparable(declaration: object, text: string): boolean {
  let texts = known.get(declaration);
  if (texts === undefined) {
    texts = new Set();
    known.set(declaration, texts);
  }
  if (texts.size < LIMIT) texts.add(text);
  return texts.has(text);
}
