/** What other plugins are told of a write: the callbacks of a resource, in Neutron's names. */
import type { CallbackPayload, CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { Resource } from '#src/lib/plugin.ts';

type Kind = 'security_group' | 'security_group_rule';
type Payload = CallbackPayload<Resource>;

const idOf = (resource: Resource): string => String(resource['id']);

export function publisher(callbacks: CallbackRegistry, kind: Kind) {
  const created = (context: Context, latest: Resource, request: Resource | undefined): Payload => ({
    context,
    resource_id: idOf(latest),
    latest,
    ...(request === undefined ? {} : { request }),
  });
  return {
    async beforeCreate(context: Context, drafts: readonly { readonly id: string; readonly body: Resource }[]) {
      for (const { id, body } of drafts) {
        await callbacks.publish(kind, 'before_create', { context, resource_id: id, request: body });
      }
    },
    /** `requests` in the order of the resources, where somebody asked for them. */
    async precommitCreate(
      tx: Transaction,
      context: Context,
      resources: readonly Resource[],
      requests: readonly Resource[] = [],
    ) {
      for (const [at, latest] of resources.entries()) {
        await callbacks.publish(kind, 'precommit_create', { ...created(context, latest, requests[at]), tx });
      }
    },
    async afterCreate(context: Context, resources: readonly Resource[], requests: readonly Resource[] = []) {
      for (const [at, latest] of resources.entries()) {
        await callbacks.publish(kind, 'after_create', created(context, latest, requests[at]));
      }
    },
    /** One of the three events of an update or a deletion. */
    async publish(
      event: Parameters<CallbackRegistry['publish']>[1],
      payload: Omit<Payload, 'resource_id'>,
      id: string,
    ) {
      await callbacks.publish(kind, event, { ...payload, resource_id: id });
    },
  };
}
