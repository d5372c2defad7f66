/**
 * Items that come as JSON text. What the caller may see is decided before they are read, as far as it can be; only
 * an item of which policy withholds more than that is parsed, to take it out.
 */
import type { TextForm } from '#src/lib/api/query.ts';
import type { WrittenItem } from '#src/lib/plugin.ts';
import type { Authorizer } from '../policy/authorizer.ts';
import { parentAttribute } from '../policy/parents.ts';
import type { Parents, PolicyResource } from '../policy/subject.ts';
import { type Choice, type Column, deniedColumns } from './view.ts';

/** The attributes through which a rule learns of an item and of its parents. */
function readBy(authorizer: Authorizer, { definition }: PolicyResource, rule: string): string[] {
  const { policy } = authorizer;
  const keys = policy
    .parents(rule)
    .map((key) => parentAttribute(key).parent)
    .map((parent) => definition.policy_parents?.[parent] ?? `${parent}_id`);
  return [...policy.attributes(rule), ...keys];
}

/** What to ask of the store: the attributes chosen, and what policy, and the links of a page (`linked`), need of each item. */
export function textForm(
  authorizer: Authorizer,
  resource: PolicyResource,
  rule: string,
  { columns, unsure }: Choice,
  linked: boolean,
): TextForm {
  const rules = unsure.map(({ rule }) => rule!);
  if (authorizer.forAll(rule, {}) === undefined) rules.push(rule);
  const read = rules.flatMap((each) => readBy(authorizer, resource, each));
  // The links of a page name its first and last item; a parent's attributes are found by the item's key.
  if (linked || read.length > 0) read.push(resource.key);
  if (read.includes('project_id') || read.includes('tenant_id')) read.push('project_id', 'tenant_id');
  return { attributes: columns.map(({ name }) => name), values: [...new Set(read)] };
}

function without(text: string, denied: readonly Column[]): string {
  const names = new Set(denied.map(({ name }) => name));
  const item: Readonly<Record<string, unknown>> = JSON.parse(text);
  return JSON.stringify(Object.fromEntries(Object.entries(item).filter(([name]) => !names.has(name))));
}

/** The JSON of one item without what is withheld of it. */
export async function writeItem(
  authorizer: Authorizer,
  resource: PolicyResource,
  { unsure }: Choice,
  item: WrittenItem,
  parents: Parents,
): Promise<string> {
  const denied = await deniedColumns(authorizer, resource, unsure, item.values, parents);
  return denied.length === 0 ? item.text : without(item.text, denied);
}

/** The JSON of the items that the caller may see, between the brackets of the list. */
export async function writeItems(
  authorizer: Authorizer,
  resource: PolicyResource,
  listRule: string,
  choice: Choice,
  items: readonly WrittenItem[],
  parents: Parents,
): Promise<string> {
  const values = items.map((item) => item.values);
  const seen = await authorizer.filter(resource, listRule, values, parents);
  const visible = seen === values ? undefined : new Set(seen);
  const texts: string[] = [];
  for (const item of items) {
    if (visible !== undefined && !visible.has(item.values)) continue;
    texts.push(choice.unsure.length === 0 ? item.text : await writeItem(authorizer, resource, choice, item, parents));
  }
  return texts.join(',');
}
