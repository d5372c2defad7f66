/**
 * From what a plugin's verb gives to what the caller sees: visible attributes only, those that policy withholds left out,
 * both names of the owner, pruned by `fields`. Which attributes a whole answer shows is decided once; only rules that depend
 * on the item are asked for each.
 */
import type { AttributeMap } from '#src/lib/api/attributes.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Authorizer } from '../policy/authorizer.ts';
import type { Parents, PolicyResource } from '../policy/subject.ts';

export interface View {
  /** The answers for items of one request, in order. */
  render(
    authorizer: Authorizer,
    resource: PolicyResource,
    items: readonly Resource[],
    parents: Parents,
    shown: ReadonlySet<string> | undefined,
  ): Promise<readonly Resource[]>;
  /** Which attributes this caller's answer has, before any item is known. */
  choose(authorizer: Authorizer, shown: ReadonlySet<string> | undefined): Choice;
}

/** The attributes of an answer. */
export interface Choice {
  /** Those that no item is denied, and those that some may be. */
  readonly columns: readonly Column[];
  /** Of the columns those whose rule depends on the item. */
  readonly unsure: readonly Column[];
}

/** What names an answer's attribute and where its value is found. */
export interface Column {
  readonly name: string;
  /** The plugin may give the owner by either name. */
  readonly other: string | undefined;
  /** The policy rule to read it, if there is one. */
  readonly rule: string | undefined;
}

const OWNER: Readonly<Record<string, string>> = { project_id: 'tenant_id', tenant_id: 'project_id' };

function columnsOf(attributes: AttributeMap, read: ReadonlyMap<string, string>): readonly Column[] {
  const names = Object.keys(attributes).filter((name) => attributes[name]!.is_visible);
  const owned = names.findIndex((name) => OWNER[name] !== undefined);
  if (owned >= 0) {
    const missing = OWNER[names[owned]!]!;
    if (!names.includes(missing)) names.splice(owned + 1, 0, missing);
  }
  const ownerRule = read.get('project_id') ?? read.get('tenant_id');
  return names.map((name) => ({
    name,
    other: OWNER[name],
    rule: OWNER[name] === undefined ? read.get(name) : ownerRule,
  }));
}

function pick(item: Resource, columns: readonly Column[]): Resource {
  const answer: Record<string, unknown> = {};
  for (const { name, other } of columns) {
    let value = item[name];
    if (value === undefined && other !== undefined) value = item[other];
    if (value !== undefined) answer[name] = value;
  }
  return answer;
}

/** Builds the view of one resource. */
export function compileView(attributes: AttributeMap, read: ReadonlyMap<string, string>): View {
  const all = columnsOf(attributes, read);
  function choose(authorizer: Authorizer, shown: ReadonlySet<string> | undefined, sample: Resource): Choice {
    const columns: Column[] = [];
    const unsure: Column[] = [];
    for (const column of all) {
      if (shown !== undefined && !shown.has(column.name)) continue;
      const answer = column.rule === undefined ? true : authorizer.forAll(column.rule, sample);
      if (answer !== false) columns.push(column);
      if (answer === undefined) unsure.push(column);
    }
    return { columns, unsure };
  }
  return {
    choose: (authorizer, shown) => choose(authorizer, shown, {}),
    async render(authorizer, resource, items, parents, shown) {
      const first = items[0];
      if (first === undefined) return [];
      const { columns, unsure } = choose(authorizer, shown, first);
      if (unsure.length === 0) return items.map((item) => pick(item, columns));
      const answers: Resource[] = [];
      for (const item of items) {
        const denied = await deniedColumns(authorizer, resource, unsure, item, parents);
        answers.push(pick(item, denied.length === 0 ? columns : columns.filter((column) => !denied.includes(column))));
      }
      return answers;
    },
  };
}

/** The columns that policy withholds of this item. */
export async function deniedColumns(
  authorizer: Authorizer,
  resource: PolicyResource,
  unsure: readonly Column[],
  item: Resource,
  parents: Parents,
): Promise<readonly Column[]> {
  const denied: Column[] = [];
  for (const column of unsure) {
    const allowed =
      authorizer.answer(column.rule!, item) ?? (await authorizer.allows(resource, column.rule!, item, parents));
    if (!allowed) denied.push(column);
  }
  return denied;
}
