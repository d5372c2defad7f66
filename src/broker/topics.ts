/**
 * Topic names and filters: their syntax (MQTT 5, section 4.7) and bounds. The number of levels is bounded because a match
 * descends the tree of subscriptions by recursion.
 */
const MAX_LEVELS = 64;
// U+FFFD is what bytes that are no UTF-8 decode to; NUL is forbidden.
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
const FORBIDDEN = /[\u0000\uFFFD]/;
const SHARE = '$share/';

/** Whether a message can be published to it. */
export function isTopicName(topic: string): boolean {
  return topic !== '' && !topic.includes('+') && !topic.includes('#') && isText(topic) && levelsOf(topic) <= MAX_LEVELS;
}

/** Whether it can be subscribed to; a shared subscription's group must be well-formed too. */
export function isTopicFilter(filter: string): boolean {
  if (!filter.startsWith(SHARE)) return isPlainFilter(filter);
  const shared = sharedFilter(filter);
  return shared !== null && isPlainFilter(shared.filter);
}

/** The parts of `$share/group/filter`, or null when it is another kind of filter (or one without a proper group). */
export function sharedFilter(filter: string): { readonly group: string; readonly filter: string } | null {
  if (!filter.startsWith(SHARE)) return null;
  const end = filter.indexOf('/', SHARE.length);
  if (end <= SHARE.length) return null;
  const group = filter.slice(SHARE.length, end);
  return group.includes('+') || group.includes('#') ? null : { group, filter: filter.slice(end + 1) };
}

/** Whether the text holds only what MQTT allows in its strings. */
export function isText(text: string): boolean {
  return !FORBIDDEN.test(text);
}

function isPlainFilter(filter: string): boolean {
  if (filter === '' || !isText(filter)) return false;
  const levels = filter.split('/');
  if (levels.length > MAX_LEVELS) return false;
  return levels.every((level, index) => {
    if (level === '+') return true;
    if (level === '#') return index === levels.length - 1;
    return !level.includes('+') && !level.includes('#');
  });
}

function levelsOf(topic: string): number {
  let levels = 1;
  for (let at = topic.indexOf('/'); at >= 0; at = topic.indexOf('/', at + 1)) levels += 1;
  return levels;
}
