/**
 * The verbs of tags, for each collection that carries them: `get_network_tags`, `update_port_tag` ... Who may is decided before, by
 * the rules of the item (`update_network:tags`); whoever does not see the item gets the item's own NotFound.
 */
import { uniqueListOf } from '#src/lib/api/validators/lists.ts';
import { string } from '#src/lib/api/validators/scalars.ts';
import type { Context } from '#src/lib/context.ts';
import { InvalidInput, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import { LONGEST_TAG } from './definition.ts';
import { TagNotFound, TagResourceNotFound } from './errors.ts';
import { changeTags, type TagChange } from './store.ts';
import type { Tagged } from './tagged.ts';

type Host = Pick<PluginHost, 'db' | 'callbacks'>;

/** What callbacks are told of: the resource `tag`, with the id of the item that carries them. */
const RESOURCE = 'tag';

const uniqueStrings = uniqueListOf(string);

/** The verbs of all collections that carry tags. */
export function tagVerbs(host: Host, tagged: readonly Tagged[]): Readonly<Record<string, Verb>> {
  return Object.assign({}, ...tagged.map((collection) => verbsOf(host, collection)));
}

function verbsOf({ db, callbacks }: Host, tagged: Tagged): Readonly<Record<string, Verb>> {
  const { member, collection } = tagged.definition;

  /** The item that carries the tags, as the caller sees it. */
  const item = async (context: Context, call: Call): Promise<Resource> =>
    call.original ??
    ((await tagged.reader(context, { id: itemOf(call), parents: {}, fields: ['id', 'tags'] })) as Resource);
  const itemOf = (call: Call): string => call.parents[member] ?? '';
  const tagsOf = async (context: Context, call: Call) => (await item(context, call))['tags'] as readonly string[];

  const change = async (context: Context, call: Call, kind: TagChange, tags: readonly string[]) => {
    const seen = await item(context, call);
    const resource_id = String(seen['id']);
    const told = (is: readonly string[]) => ({ collection, id: resource_id, tags: is });
    const payload = { context, resource_id, request: { tags } };
    const original = told(seen['tags'] as readonly string[]);
    await callbacks.publish(RESOURCE, 'before_update', { ...payload, original });
    const result = await db.transaction({ label: 'update_tags' }, async (tx) => {
      const changed = await changeTags(tx, tagged.table, resource_id, kind, tags);
      if (changed === undefined) throw new TagResourceNotFound(member, resource_id);
      checkRevision(call, changed.revision);
      const states = { original: told(changed.before), latest: told(changed.after) };
      if (changed.changed) await callbacks.publish(RESOURCE, 'precommit_update', { ...payload, ...states, tx });
      return { ...changed, states };
    });
    if (result.changed) await callbacks.publish(RESOURCE, 'after_update', { ...payload, ...result.states });
    return result;
  };

  return {
    [`get_${member}_tags`]: async (context, call) => ({ tags: await tagsOf(context, call) }),
    async [`get_${member}_tag`](context, call) {
      const tag = tagOf(call);
      if (!(await tagsOf(context, call)).includes(tag)) throw new TagNotFound(tag);
    },
    async [`create_${member}_tag`](context, call) {
      const tags = tagsIn(call);
      await change(context, call, 'add', tags);
      return { tags };
    },
    async [`update_${member}_tag`](context, call) {
      await change(context, call, 'add', [tagOf(call)]);
    },
    async [`update_${member}_tags`](context, call) {
      const tags = tagsIn(call);
      await change(context, call, 'replace', tags);
      return { tags };
    },
    async [`delete_${member}_tag`](context, call) {
      const tag = tagOf(call);
      const { changed } = await change(context, call, 'remove', [tag]);
      if (!changed) throw new TagNotFound(tag);
    },
    async [`delete_${member}_tags`](context, call) {
      await change(context, call, 'replace', []);
    },
  };
}

/** The tag that the path names. */
function tagOf({ id = '' }: Call): string {
  const wrong = string(id, LONGEST_TAG);
  if (wrong !== null) throw new InvalidInput(wrong);
  return id;
}

/** The tags that the body names. */
function tagsIn({ body = {} }: Call): readonly string[] {
  if (!Object.hasOwn(body, 'tags')) throw new InvalidInput('Invalid tags body: a list of tags is expected in "tags"');
  const wrong = uniqueStrings(body['tags'], LONGEST_TAG);
  if (wrong !== null) throw new InvalidInput(wrong);
  return body['tags'] as readonly string[];
}

function checkRevision({ if_match: expected }: Call, revision: number): void {
  if (expected !== undefined && expected !== revision) {
    throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
  }
}
