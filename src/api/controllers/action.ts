/**
 * Actions below an item (`PUT /routers/{id}/add_router_interface`) or a collection. Their bodies and answers are the
 * plugin's own; the policy rule is the action's name, or the item's own rule where that is not defined.
 */
import type { Resource } from '#src/lib/plugin.ts';
import { answerEmpty, answerJson } from '../answer.ts';
import { rulesForAction } from '../policy/rules.ts';
import type { DeclaredAction } from '../router/declared.ts';
import { readOptionalBody, refuseBody } from './body.ts';
import { enforceOnCollection } from './collection.ts';
import { enforceOnItem, readItem } from './hidden.ts';
import { ifMatch, type Scene } from './scene.ts';

function ruleOf(scene: Scene, action: DeclaredAction): string {
  const { rules } = scene.resource;
  const rule = action.definition.policy ?? action.name;
  if (scene.authorizer.policy.defines(rule)) return rule;
  return action.definition.method === 'GET' ? rules.operation.show : rules.operation.update;
}

async function bodyOf(
  scene: Scene,
  action: DeclaredAction,
): Promise<{ readonly body?: Readonly<Record<string, unknown>> }> {
  switch (action.definition.method) {
    case 'GET':
      return {};
    case 'DELETE':
      await refuseBody(scene);
      return {};
    default:
      return { body: await readOptionalBody(scene) };
  }
}

async function answer(scene: Scene, action: DeclaredAction, status: number, result: unknown): Promise<Response> {
  if (action.definition.answers_item === true) {
    const { resource, authorizer, parents } = scene;
    const [shown] = await resource.view.render(authorizer, resource, [result as Resource], parents, undefined);
    return answerJson(scene.c, status, { [resource.definition.member]: shown });
  }
  return result === undefined && status === 204
    ? answerEmpty(scene.c, 204)
    : answerJson(scene.c, status, result ?? null);
}

/** Carries out an action of an item (with `id`) or of the collection. */
export async function act(scene: Scene, action: DeclaredAction, id: string | undefined): Promise<Response> {
  const { context, parents, authorizer } = scene;
  const call = { parents, ...(await bodyOf(scene, action)), ...ifMatch(scene) };
  const rule = ruleOf(scene, action);
  const { member } = scene.resource.definition;
  const rules = [
    rule,
    ...rulesForAction(authorizer.policy, action.name, action.definition.enforces ?? [], call.body?.[member]),
  ];
  const status = action.definition.status ?? (action.definition.method === 'DELETE' ? 204 : 200);
  if (id === undefined) {
    await enforceOnCollection(scene, rule);
    return await answer(scene, action, status, await action.verb(context, call));
  }
  // Where the rule asks nothing of the item, the verb finds out by itself whether there is one.
  if (rules.every((one) => authorizer.forAll(one, {}) === true))
    return await answer(scene, action, status, await action.verb(context, { ...call, id }));
  const original = await readItem(scene, id);
  await enforceOnItem(scene, rules, id, original, original ?? {});
  return await answer(
    scene,
    action,
    status,
    await action.verb(context, original === undefined ? { ...call, id } : { ...call, id, original }),
  );
}
