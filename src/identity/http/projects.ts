/** Projects, their tree and their tags. */
import * as v from 'valibot';
import type { Queryable, Transaction } from '#src/lib/database.ts';
import { newHexId } from '../bytes.ts';
import { Forbidden, NotFound, ValidationError } from '../errors.ts';
import { narrowedToDomain } from './access.ts';
import { type ProjectRow, projects, Tags, textOrEmpty } from './entities.ts';
import {
  assertMutable,
  type Condition,
  deleteRow,
  existing,
  findRow,
  flag,
  type Given,
  givenBody,
  insertRow,
  listReply,
  listRows,
  oneReply,
  parse,
  updateRow,
  viewOf,
} from './entity.ts';
import { projectTree } from './project_tree.ts';
import { type Call, NO_CONTENT, type Reply, type Route } from './route.ts';

/** Filters by tags, as the SQL that compares them with a list. */
const TAG_FILTERS: Readonly<Record<string, (list: string) => string>> = {
  tags: (list) => `tags @> ${list}`,
  'tags-any': (list) => `tags && ${list}`,
  'not-tags': (list) => `not tags @> ${list}`,
  'not-tags-any': (list) => `not tags && ${list}`,
};

const tagConditions = (query: URLSearchParams): readonly Condition[] =>
  [...query].flatMap(([name, value]) => {
    const filter = Object.hasOwn(TAG_FILTERS, name) ? TAG_FILTERS[name] : undefined;
    return filter === undefined ? [] : [(parameters) => filter(parameters.add(value.split(','), 'text[]'))];
  });

async function target(call: Call): Promise<ProjectRow> {
  const id = call.param('project');
  const row = await findRow(call.services.db.sql, projects, id);
  call.enforce({ project_id: row?.id, domain_ids: row === undefined ? [] : [row.domain_id ?? row.id] });
  return existing(row, projects, id);
}

/** Where a new project goes: below its parent, else directly in its domain, which by default is the caller's. */
async function placed(sql: Queryable, call: Call, known: Given['known']) {
  const { scope } = call.caller;
  const own = scope.kind === 'domain' || scope.kind === 'project' ? scope.domain.id : 'default';
  const parentId = known['parent_id'] ?? known['domain_id'] ?? own;
  const parent = await findRow(sql, projects, String(parentId));
  if (parent === undefined) {
    if (known['parent_id'] == null) throw new NotFound('domain', String(parentId));
    throw new ValidationError(`Could not find project: ${parentId}.`);
  }
  const domain_id = parent.domain_id ?? parent.id;
  if (known['domain_id'] != null && known['domain_id'] !== domain_id) {
    throw new ValidationError(`The parent ${parent.id} is not in the domain ${known['domain_id']}.`);
  }
  return { parent_id: parent.id, domain_id };
}

async function create(call: Call): Promise<Reply> {
  const { db } = call.services;
  const { known, extra } = await givenBody(call, projects, 'create');
  const place = known['is_domain'] === true ? { parent_id: null, domain_id: null } : await placed(db.sql, call, known);
  // A project that acts as a domain is in none, so only who may manage all passes.
  call.enforce({ domain_ids: place.domain_id === null ? [] : [place.domain_id] });
  const row = await db.transaction({ label: 'identity_create_project' }, (tx) =>
    insertRow(tx, projects, { ...textOrEmpty(known), extra, ...place, id: newHexId() }),
  );
  return oneReply(call, projects, row, 201);
}

async function update(call: Call): Promise<Reply> {
  const before = await target(call);
  const given = await givenBody(call, projects, 'update');
  assertMutable(projects, before, given);
  const { db, revocations } = call.services;
  for (const fixed of ['domain_id', 'parent_id', 'is_domain'] as const) {
    if (given.known[fixed] === undefined || given.known[fixed] === before[fixed]) continue;
    if (fixed === 'parent_id') throw new Forbidden('Update of `parent_id` is not allowed.');
    throw new ValidationError(
      fixed === 'domain_id' ? 'Cannot change Domain ID' : 'Update of `is_domain` is not allowed.',
    );
  }
  const row = await db.transaction({ label: 'identity_update_project' }, async (tx) => {
    if (given.known['enabled'] === false) {
      await revocations.revoke(tx, [before.is_domain ? `domain:${before.id}` : `project:${before.id}`]);
    }
    return updateRow(tx, projects, before, { ...given, known: textOrEmpty(given.known) });
  });
  return oneReply(call, projects, row);
}

async function remove(call: Call): Promise<Reply> {
  const project = await target(call);
  assertMutable(projects, project);
  if (project.is_domain) throw new Forbidden(`The project ${project.id} acts as a domain: delete it as a domain.`);
  const { db, revocations } = call.services;
  await db.transaction({ label: 'identity_delete_project' }, async (tx) => {
    await revocations.revoke(tx, [`project:${project.id}`]);
    await assertLeaf(tx, project.id);
    await tx`update identity_users set default_project_id = null where default_project_id = ${project.id}`;
    await deleteRow(tx, projects, project.id);
  });
  return NO_CONTENT;
}

async function assertLeaf(tx: Transaction, id: string): Promise<void> {
  // The lock keeps a child from being made meanwhile: its foreign key needs this row.
  await tx`select from identity_projects where id = ${id} for update`;
  const children = await tx`select from identity_projects where parent_id = ${id} limit 1`;
  if (children.length > 0) {
    throw new Forbidden(`Cannot delete the project ${id} since it is not a leaf in the hierarchy.`);
  }
}

/** Changes the tags of the path's project to what the function gives. */
async function retag(call: Call, change: (tags: readonly string[]) => readonly string[]): Promise<readonly string[]> {
  const { id } = await target(call);
  return call.services.db.transaction({ label: 'identity_tag_project' }, async (tx) => {
    const [row] = await tx<{ tags: string[] }[]>`select tags from identity_projects where id = ${id} for update`;
    if (row === undefined) throw new NotFound('project', id);
    const tags = parse(Tags, [...new Set(change(row.tags))], 'Invalid tags');
    await tx`update identity_projects set tags = ${tags}::text[] where id = ${id}`;
    return tags;
  });
}

/** The path's tag, which the project must have. */
const presentTag = (call: Call, tags: readonly string[]): string => {
  const tag = call.param('tag');
  if (!tags.includes(tag)) throw new NotFound('project tag', tag);
  return tag;
};

const tagsReply = (call: Call, tags: readonly string[]): Reply => ({
  status: 200,
  body: { tags, links: { next: null, self: call.url, previous: null } },
});

export const projectRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/projects',
    action: 'list_projects',
    async handler(call) {
      const domain = narrowedToDomain(call.caller);
      call.enforce({ domain_ids: domain === undefined ? [] : [domain] });
      const conditions: Condition[] = [...tagConditions(call.query)];
      if (!call.query.has('is_domain')) conditions.push(() => 'not is_domain');
      if (domain !== undefined) conditions.push((parameters) => `domain_id = ${parameters.add(domain)}`);
      return listReply(call, projects, await listRows(call.services.db.sql, projects, call.query, conditions));
    },
  },
  { method: 'POST', path: '/projects', action: 'create_project', handler: create },
  {
    method: 'GET',
    path: '/projects/:project',
    action: 'get_project',
    async handler(call) {
      const row = await target(call);
      const tree = await projectTree(call.services.db.sql, row, (wanted) => flag(call.query, wanted));
      const shown = (relative: ProjectRow) => ({ project: viewOf(call, projects, relative) });
      const lists = Object.entries(tree.lists).map(([name, rows]) => [name, rows.map(shown)]);
      const view = { ...viewOf(call, projects, row), ...tree.ids, ...Object.fromEntries(lists) };
      return { status: 200, body: { project: view } };
    },
  },
  { method: 'PATCH', path: '/projects/:project', action: 'update_project', handler: update },
  { method: 'DELETE', path: '/projects/:project', action: 'delete_project', handler: remove },
  {
    method: 'GET',
    path: '/projects/:project/tags',
    action: 'list_project_tags',
    handler: async (call) => tagsReply(call, (await target(call)).tags),
  },
  {
    method: 'PUT',
    path: '/projects/:project/tags',
    action: 'update_project_tags',
    async handler(call) {
      const given = parse(v.object({ tags: Tags }), await call.body(), 'Invalid tags');
      return tagsReply(call, await retag(call, () => given.tags));
    },
  },
  {
    method: 'DELETE',
    path: '/projects/:project/tags',
    action: 'update_project_tags',
    async handler(call) {
      await retag(call, () => []);
      return NO_CONTENT;
    },
  },
  {
    method: 'GET',
    path: '/projects/:project/tags/:tag',
    action: 'list_project_tags',
    async handler(call) {
      presentTag(call, (await target(call)).tags);
      return NO_CONTENT;
    },
  },
  {
    method: 'PUT',
    path: '/projects/:project/tags/:tag',
    action: 'update_project_tags',
    async handler(call) {
      await retag(call, (tags) => [...tags, call.param('tag')]);
      return { status: 201 };
    },
  },
  {
    method: 'DELETE',
    path: '/projects/:project/tags/:tag',
    action: 'update_project_tags',
    async handler(call) {
      await retag(call, (tags) => {
        const gone = presentTag(call, tags);
        return tags.filter((tag) => tag !== gone);
      });
      return NO_CONTENT;
    },
  },
];
