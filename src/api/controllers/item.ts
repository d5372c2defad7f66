/** An item: shows, changes, deletes it. */
import { type Resource, type Verb, WrittenItem } from '#src/lib/plugin.ts';
import { answerEmpty, answerJson, answerText } from '../answer.ts';
import { rulesForUpdate } from '../policy/rules.ts';
import { textForm, writeItem } from '../view/written.ts';
import { prepareUpdate, readBody, refuseBody } from './body.ts';
import { enforceOnItem, notFound, readItem } from './hidden.ts';
import { ifMatch, paramsOf, type Scene } from './scene.ts';

async function answerItem(
  scene: Scene,
  status: number,
  item: Resource,
  shown: ReadonlySet<string> | undefined,
): Promise<Response> {
  const { resource, authorizer, parents } = scene;
  const [rendered] = await resource.view.render(authorizer, resource, [item], parents, shown);
  return answerJson(scene.c, status, { [resource.definition.member]: rendered });
}

/** GET */
export async function show(scene: Scene, id: string, verb: Verb): Promise<Response> {
  const { resource, authorizer, context, parents } = scene;
  const { shown, read } = resource.query.fields(paramsOf(scene));
  const rule = resource.rules.operation.show;
  const choice = resource.view.choose(authorizer, shown);
  const text = textForm(authorizer, resource, rule, choice, false);
  const call = { id, parents, text, ...(read === undefined ? {} : { fields: read }) };
  const answer = (await verb(context, call)) as Resource | WrittenItem;
  const item = answer instanceof WrittenItem ? answer.values : answer;
  const target = item[resource.key] === undefined ? { [resource.key]: id, ...item } : item;
  if (resource.definition.denial === 'forbidden') await authorizer.enforce(resource, [rule], target, parents);
  else if (!(await authorizer.allows(resource, rule, target, parents))) throw await notFound(scene, id);
  const { member, statuses } = resource.definition;
  const status = statuses?.show ?? 200;
  if (!(answer instanceof WrittenItem)) return answerItem(scene, status, item, shown);
  const json = await writeItem(authorizer, resource, choice, answer, parents);
  return answerText(scene.c, status, `{"${member}":${json}}`, 'application/json');
}

/**
 * The item that the caller may change as these rules say. Undefined where they ask nothing of it, of an administrator, who sees all:
 * the verb finds out whether there is one, and reads it once.
 */
async function judged(
  scene: Scene,
  id: string,
  rules: readonly string[],
  body?: Resource,
): Promise<Resource | undefined> {
  const { authorizer, context } = scene;
  if (context.is_admin && rules.every((rule) => authorizer.forAll(rule, {}) === true)) return undefined;
  const original = await readItem(scene, id);
  await enforceOnItem(scene, rules, id, original, { ...original, ...body });
  return original;
}

/** PUT */
export async function update(scene: Scene, id: string, verb: Verb): Promise<Response> {
  const { resource, authorizer, context, parents } = scene;
  const body = prepareUpdate(scene, await readBody(scene));
  const rules = [resource.rules.operation.update, ...rulesForUpdate(authorizer.policy, resource.rules, body)];
  const original = await judged(scene, id, rules, body);
  const call = { id, parents, body, ...ifMatch(scene) };
  const updated = await verb(context, original === undefined ? call : { ...call, original });
  return answerItem(scene, resource.definition.statuses?.update ?? 200, updated as Resource, undefined);
}

/** DELETE */
export async function remove(scene: Scene, id: string, verb: Verb): Promise<Response> {
  const { resource, context, parents } = scene;
  await refuseBody(scene);
  const original = await judged(scene, id, [resource.rules.operation.delete]);
  const call = { id, parents, ...ifMatch(scene) };
  await verb(context, original === undefined ? call : { ...call, original });
  return answerEmpty(scene.c, resource.definition.statuses?.delete ?? 204);
}
