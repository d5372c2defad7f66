/**
 * The extensions of tags (neutron.extensions.tagging, neutron_lib.api.definitions.tag_creation): the sub-resource `tags` below the
 * items of every collection that carries them, and the attribute `tags` that lists are filtered by.
 */
import type { AttributeMap } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { listOf, objectOf, type Schema, TEXT } from '#src/lib/api/schema.ts';
import type { Tagged } from './tagged.ts';

/** Characters of a tag. */
export const LONGEST_TAG = 255;

const TAGS: Schema = objectOf({ tags: listOf({ type: 'string', maxLength: LONGEST_TAG }) });

const READ = {
  allow_post: false,
  allow_put: false,
  is_visible: true,
  is_filter: true,
  response: listOf(TEXT),
} as const;

const ATTRIBUTES: Readonly<Record<string, AttributeMap>> = {
  // Kept by the driver that serves tag-ports-during-bulk-creation; without it, Neutron takes them and forgets them, too.
  ports: {
    tags: { ...READ, allow_post: true, default: [], validate: { 'type:list_of_unique_strings': LONGEST_TAG } },
  },
};

function tagsOf({ definition: { collection, member, path_prefix } }: Tagged): ResourceDefinition {
  const rule = (verb: string) => `${verb}_${member}:tags`;
  return {
    collection: 'tags',
    member: 'tag',
    parent: { collection, member, ...(path_prefix === undefined ? {} : { path_prefix }) },
    operations: ['list', 'show', 'create', 'update', 'delete', 'update_all', 'delete_all'],
    attributes: {},
    raw: true,
    quota: false,
    statuses: { show: 204, create: 200, update: 201 },
    requests: { create: TAGS, update_all: TAGS },
    responses: { list: TAGS, create: TAGS, update: { type: 'null' }, update_all: TAGS },
    policy_names: {
      list: rule('get'),
      show: rule('get'),
      create: rule('create'),
      update: rule('update'),
      update_all: rule('update'),
      delete: rule('delete'),
      delete_all: rule('delete'),
    },
  };
}

/** The extensions over the collections that carry tags. */
export function tagExtensions(tagged: readonly Tagged[]): readonly ExtensionDefinition[] {
  const members = tagged.map(({ definition }) => definition.member);
  return [
    {
      alias: 'standard-attr-tag',
      name: `Tag support for resources with standard attribute: ${members.join(', ')}`,
      description: 'Resources carry tags, and lists are filtered by them',
      updated: '2017-01-01T00:00:00-00:00',
      resources: tagged.map(tagsOf),
      attributes: Object.fromEntries(
        tagged.map(({ definition: { collection } }) => [collection, ATTRIBUTES[collection] ?? { tags: READ }]),
      ),
    },
    {
      alias: 'tag-creation',
      name: 'Tag creation extension',
      description: 'Several tags are added with one POST',
      // The month is the 23rd in Neutron, too.
      updated: '2024-23-07T10:00:00-00:00',
    },
  ];
}
