/**
 * Resources whose bodies and answers are the plugin's own (`raw`): tags, the networks of a DHCP agent. Policy asks about the
 * item above them; who is denied is told so.
 */
import type { Operation } from '#src/lib/api/definition.ts';
import { PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import { answerEmpty, answerJson } from '../answer.ts';
import { readOptionalBody } from './body.ts';
import { ifMatch, paramsOf, type Scene } from './scene.ts';

/** Statuses of success, where the definition does not tell. */
export const RAW_STATUS: Readonly<Record<Operation, number>> = {
  list: 200,
  show: 200,
  create: 201,
  update: 200,
  delete: 204,
  update_all: 200,
  delete_all: 204,
};

const WITH_BODY: ReadonlySet<Operation> = new Set(['create', 'update', 'update_all']);

/** Answers the item above, where a rule made it be read. */
async function authorize(scene: Scene, rule: string): Promise<Resource | undefined> {
  const { authorizer, resource, parents, context } = scene;
  const always = authorizer.forAll(rule, {});
  const { parent } = resource;
  const id = parent === undefined ? undefined : parents[parent.definition.member];
  const above =
    always !== undefined || id === undefined
      ? undefined
      : ((await parent?.reader?.(context, { id, parents: {} })) as Resource | undefined);
  const target = above ?? (id === undefined ? { project_id: context.project_id } : {});
  if (!(always ?? (await authorizer.allows(resource, rule, target, parents)))) {
    throw new PolicyNotAuthorized(`rule:${rule}`);
  }
  return above;
}

/** Serves any operation of a raw resource. */
export async function serveRaw(
  scene: Scene,
  operation: Operation,
  verb: Verb,
  id: string | undefined,
): Promise<Response> {
  const { resource, context, parents } = scene;
  // What the path says in full has no body: clients send anything there (`{}`, `"{}"`), also with DELETE (`{"router_id": ...}`).
  const read =
    WITH_BODY.has(operation) && (operation !== 'update' || resource.definition.requests?.update !== undefined);
  const body = read ? { body: await readOptionalBody(scene) } : {};
  const original = await authorize(scene, resource.rules.operation[operation]);
  const query = operation === 'list' ? { query: resource.query.list(paramsOf(scene)).query } : {};
  const fields = operation === 'show' ? paramsOf(scene).getAll('fields') : [];
  const named = fields.length === 0 ? {} : { fields };
  const item = id === undefined ? {} : { id };
  const above = original === undefined ? {} : { original };
  const result = await verb(context, { parents, ...item, ...body, ...query, ...above, ...named, ...ifMatch(scene) });
  const status = resource.definition.statuses?.[operation] ?? RAW_STATUS[operation];
  if (status === 204) return answerEmpty(scene.c, status);
  return answerJson(scene.c, status, result ?? null);
}
