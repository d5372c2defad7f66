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
}

/** What names an answer's attribute and where its value is found. */
interface Column {
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
  return {
    async render(authorizer, resource, items, parents, shown) {
      const first = items[0];
      if (first === undefined) return [];
      const wanted = shown === undefined ? all : all.filter((column) => shown.has(column.name));
      const sure: Column[] = [];
      const unsure: Column[] = [];
      for (const column of wanted) {
        const answer = column.rule === undefined ? true : authorizer.forAll(column.rule, first);
        if (answer !== false) sure.push(column);
        if (answer === undefined) unsure.push(column);
      }
      if (unsure.length === 0) return items.map((item) => pick(item, sure));
      const answers: Resource[] = [];
      for (const item of items) {
        let columns = sure;
        for (const column of unsure) {
          if (await authorizer.allows(resource, column.rule!, item, parents)) continue;
          columns = columns.filter((other) => other !== column);
        }
        answers.push(pick(item, columns));
      }
      return answers;
    },
  };
}
