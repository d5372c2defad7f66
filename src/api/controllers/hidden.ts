/**
 * What a caller learns whom policy denies. An object that the caller may not even read does not exist for it: the answer is
 * the resource's own NotFound, the very one that an id without an object gets. One that it may read is a plain 403.
 */
import { HttpNotFound, NeutronError } from '#src/lib/errors.ts';
import type { Resource } from '#src/lib/plugin.ts';
import type { Scene } from './scene.ts';

/** The resource's NotFound for the id: what the plugin says of an id that nothing has, with this id in its place. */
export async function notFound(scene: Scene, id: string): Promise<NeutronError> {
  const nobody = crypto.randomUUID();
  try {
    await scene.resource.reader?.(scene.context, { id: nobody, parents: scene.parents });
  } catch (error) {
    if (error instanceof NeutronError && error.status === 404) {
      return new NeutronError(error.type, 404, error.message.replaceAll(nobody, id));
    }
    throw error;
  }
  return new HttpNotFound();
}

/** Reads the item as the caller; throws its NotFound. Undefined where the plugin has no verb to read one. */
export async function readItem(scene: Scene, id: string): Promise<Resource | undefined> {
  const { reader } = scene.resource;
  return reader === undefined ? undefined : ((await reader(scene.context, { id, parents: scene.parents })) as Resource);
}

/** Enforces the rules on an item that is about to change; what the caller may not read is not found. */
export async function enforceOnItem(
  scene: Scene,
  rules: readonly string[],
  id: string,
  original: Resource | undefined,
  target: Resource,
): Promise<void> {
  const { authorizer, resource, parents } = scene;
  try {
    await authorizer.enforce(resource, rules, { [resource.key]: id, ...target }, parents);
  } catch (denied) {
    if (!(denied instanceof NeutronError) || denied.status !== 403 || resource.definition.denial === 'forbidden')
      throw denied;
    const { denial = 'hidden' } = resource.definition;
    const seen = await authorizer.allows(resource, resource.rules.operation.show, original ?? target, parents);
    const owner = (original ?? target)['project_id'] === scene.context.project_id;
    if (seen && (denial === 'hidden' || owner)) throw denied;
    throw await notFound(scene, id);
  }
}
