/** An item: shows, changes, deletes it. */
import type { Resource, Verb } from '#src/lib/plugin.ts';
import { answerEmpty, answerJson } from '../answer.ts';
import { rulesForUpdate } from '../policy/rules.ts';
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
  const item = (await verb(context, read === undefined ? { id, parents } : { id, parents, fields: read })) as Resource;
  const rule = resource.rules.operation.show;
  const target = item[resource.key] === undefined ? { [resource.key]: id, ...item } : item;
  if (resource.definition.denial === 'forbidden') await authorizer.enforce(resource, [rule], target, parents);
  else if (!(await authorizer.allows(resource, rule, target, parents))) throw await notFound(scene, id);
  return answerItem(scene, resource.definition.statuses?.show ?? 200, item, shown);
}

/** PUT */
export async function update(scene: Scene, id: string, verb: Verb): Promise<Response> {
  const { resource, authorizer, context, parents } = scene;
  const body = prepareUpdate(scene, await readBody(scene));
  const original = await readItem(scene, id);
  const rules = [resource.rules.operation.update, ...rulesForUpdate(authorizer.policy, resource.rules, body)];
  await enforceOnItem(scene, rules, id, original, { ...original, ...body });
  const call = { id, parents, body, ...ifMatch(scene) };
  const updated = await verb(context, original === undefined ? call : { ...call, original });
  return answerItem(scene, resource.definition.statuses?.update ?? 200, updated as Resource, undefined);
}

/** DELETE */
export async function remove(scene: Scene, id: string, verb: Verb): Promise<Response> {
  const { resource, context, parents } = scene;
  await refuseBody(scene);
  const original = await readItem(scene, id);
  await enforceOnItem(scene, [resource.rules.operation.delete], id, original, original ?? {});
  const call = { id, parents, ...ifMatch(scene) };
  await verb(context, original === undefined ? call : { ...call, original });
  return answerEmpty(scene.c, resource.definition.statuses?.delete ?? 204);
}
