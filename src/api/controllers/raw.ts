/**
 * Resources whose bodies and answers are the plugin's own (`raw`): tags, the networks of a DHCP agent. Policy asks about the
 * item above them; who is denied is told so.
 */
import type { Operation } from '#src/lib/api/definition.ts';
import { PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Resource, Verb } from '#src/lib/plugin.ts';
import { answerEmpty, answerJson } from '../answer.ts';
import { readOptionalBody, refuseBody } from './body.ts';
import { ifMatch, paramsOf, type Scene } from './scene.ts';

const STATUS: Readonly<Record<Operation, number>> = {
  list: 200,
  show: 200,
  create: 201,
  update: 200,
  delete: 204,
  update_all: 200,
  delete_all: 204,
};

const WITH_BODY: ReadonlySet<Operation> = new Set(['create', 'update', 'update_all']);
const WITHOUT_BODY: ReadonlySet<Operation> = new Set(['delete', 'delete_all']);

async function authorize(scene: Scene, rule: string): Promise<void> {
  const { authorizer, resource, parents, context } = scene;
  const always = authorizer.forAll(rule, {});
  const { parent } = resource;
  const above = parent === undefined ? undefined : parents[parent.definition.member];
  const target =
    always !== undefined || above === undefined
      ? { project_id: context.project_id }
      : ((await parent?.reader?.(context, { id: above, parents: {} })) as Resource | undefined);
  if (!(always ?? (await authorizer.allows(resource, rule, target ?? {}, parents)))) {
    throw new PolicyNotAuthorized(`rule:${rule}`);
  }
}

/** Serves any operation of a raw resource. */
export async function serveRaw(
  scene: Scene,
  operation: Operation,
  verb: Verb,
  id: string | undefined,
): Promise<Response> {
  const { resource, context, parents } = scene;
  const body = WITH_BODY.has(operation) ? { body: await readOptionalBody(scene) } : {};
  if (WITHOUT_BODY.has(operation)) await refuseBody(scene);
  await authorize(scene, resource.rules.operation[operation]);
  const query = operation === 'list' ? { query: resource.query.list(paramsOf(scene)).query } : {};
  const item = id === undefined ? {} : { id };
  const result = await verb(context, { parents, ...item, ...body, ...query, ...ifMatch(scene) });
  const status = resource.definition.statuses?.[operation] ?? STATUS[operation];
  if (status === 204) return answerEmpty(scene.c, status);
  return answerJson(scene.c, status, result ?? null);
}
