/** A collection: lists its items, creates one or several. */
import { HttpBadRequest, PolicyNotAuthorized } from '#src/lib/errors.ts';
import type { Resource, ResourceList, Verb } from '#src/lib/plugin.ts';
import { answerJson, answerText } from '../answer.ts';
import { rulesForCreate } from '../policy/rules.ts';
import { pageLinks } from '../query/mod.ts';
import { textForm, writeItems } from '../view/written.ts';
import { type Creation, prepareCreation, readBody } from './body.ts';
import { notFound } from './hidden.ts';
import { paramsOf, type Scene } from './scene.ts';

function pageUrl(scene: Scene): string {
  const { base, path } = scene.c.env;
  return `${scene.services.linkPrefix ?? base}${path}`;
}

/** GET: the items that the caller may see. */
export async function index(scene: Scene, verb: Verb): Promise<Response> {
  const { resource, context, parents, authorizer } = scene;
  const rule = resource.rules.operation.list;
  if (resource.definition.denial === 'forbidden') await enforceOnCollection(scene, rule);
  const params = paramsOf(scene);
  const { query, shown, page } = resource.query.list(params);
  const { collection } = resource.definition;
  const links = (items: readonly Resource[]): string => {
    const made = pageLinks(pageUrl(scene), params, page, items, resource.key);
    return made.length > 0 ? `,"${collection}_links":${JSON.stringify(made)}` : '';
  };
  // Whom policy shows no item at all learns neither from a marker nor from a link that there are some.
  if (authorizer.forAll(rule, {}) === false) {
    if (page.marker !== undefined) throw await notFound(scene, page.marker);
    return answerText(scene.c, 200, `{"${collection}":[]${links([])}}`, 'application/json');
  }
  const choice = resource.view.choose(authorizer, shown);
  const text = textForm(authorizer, resource, rule, choice, query.limit !== undefined);
  const list = (await verb(context, { parents, query: { ...query, text } })) as ResourceList;
  if (list.written !== undefined) {
    const shownItems = await writeItems(authorizer, resource, rule, choice, list.written, parents);
    const ends = links(list.written.map(({ values }) => values));
    return answerText(scene.c, 200, `{"${collection}":[${shownItems}]${ends}}`, 'application/json');
  }
  const seen = await authorizer.filter(resource, rule, list.items, parents);
  const items = await resource.view.render(authorizer, resource, seen, parents, shown);
  return answerText(scene.c, 200, `{"${collection}":${JSON.stringify(items)}${links(list.items)}}`, 'application/json');
}

async function checkQuota(scene: Scene, bodies: readonly Resource[]): Promise<void> {
  const { resource, services, context } = scene;
  if (resource.quota === undefined) return;
  const counts = new Map<string, number>();
  for (const body of bodies) {
    const owner = body['project_id'] ?? body['tenant_id'] ?? context.project_id;
    if (typeof owner === 'string') counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  for (const [owner, count] of counts) await services.quota.check(context, owner, { [resource.quota]: count });
}

async function authorize(scene: Scene, bodies: readonly Resource[]): Promise<void> {
  const { resource, authorizer, parents } = scene;
  for (const body of bodies) {
    const rules = [resource.rules.operation.create, ...rulesForCreate(authorizer.policy, resource.rules, body)];
    try {
      await authorizer.enforce(resource, rules, body, parents, true);
    } catch (denied) {
      await authorizer.requireParents(resource, rules, body, parents);
      throw denied;
    }
  }
}

/** Several, one after the other, for plugins that cannot create them at once; a failure takes back those before it. */
async function createEach(scene: Scene, create: Verb, bodies: readonly Resource[]): Promise<readonly Resource[]> {
  const { resource, context, parents } = scene;
  const undo = resource.verbs.delete;
  if (undo === undefined && bodies.length > 1) throw new HttpBadRequest('Bulk operation not supported');
  const created: Resource[] = [];
  try {
    for (const body of bodies) created.push((await create(context, { parents, body })) as Resource);
  } catch (error) {
    for (const item of created.toReversed()) await undo?.(context, { parents, id: String(item[resource.key]) });
    throw error;
  }
  return created;
}

async function store(scene: Scene, create: Verb, { bulk, bodies }: Creation): Promise<readonly Resource[]> {
  const { context, parents } = scene;
  if (!bulk) return [(await create(context, { parents, body: bodies[0]! })) as Resource];
  const atOnce = scene.resource.verbs.create_bulk;
  if (atOnce === undefined) return createEach(scene, create, bodies);
  return (await atOnce(context, { parents, bodies })) as readonly Resource[];
}

/** POST: creates one item, or several. */
export async function create(scene: Scene, verb: Verb): Promise<Response> {
  const { resource, authorizer, parents } = scene;
  const creation = prepareCreation(scene, await readBody(scene));
  await checkQuota(scene, creation.bodies);
  await authorize(scene, creation.bodies);
  const created = await store(scene, verb, creation);
  const shown = await resource.view.render(authorizer, resource, created, parents, undefined);
  const { member, collection, statuses } = resource.definition;
  const body = creation.bulk ? { [collection]: shown } : { [member]: shown[0] };
  return answerJson(scene.c, statuses?.create ?? 201, body);
}

/** Whether the caller may at all, for a rule that no item is needed for. Throws PolicyNotAuthorized. */
export async function enforceOnCollection(scene: Scene, rule: string): Promise<void> {
  const { authorizer, resource, parents, context } = scene;
  const target = { project_id: context.project_id };
  if (!(await authorizer.allows(resource, rule, target, parents))) throw new PolicyNotAuthorized(`rule:${rule}`);
}
