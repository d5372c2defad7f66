/**
 * The callback registry (neutron_lib.callbacks.manager): one per process, made by the composition root and given to every
 * plugin. Subscribers of an event run one after the other, by priority and then in the order they subscribed.
 *
 *   before_*, precommit_*   the first error goes to the publisher, who gives up; those behind it do not run
 *   after_*                 all run; an error is logged, because what happened cannot be taken back
 */
import type { Callback, CallbackEvent, CallbackPayload, CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Logger } from '#src/lib/log.ts';

interface Subscription {
  readonly callback: Callback;
  readonly priority: number;
}

/** Makes an empty registry. */
export function createCallbacks({ log }: { readonly log: Logger }): CallbackRegistry {
  // Lists are replaced, never changed: a publication goes on with the list it began with.
  const subscriptions = new Map<string, readonly Subscription[]>();

  return {
    subscribe(resource, event, callback, priority = 0) {
      const key = keyOf(resource, event);
      const added: Subscription = { callback, priority };
      const others = subscriptions.get(key) ?? [];
      subscriptions.set(
        key,
        [...others, added].toSorted((one, other) => one.priority - other.priority),
      );
      return () => {
        subscriptions.set(
          key,
          (subscriptions.get(key) ?? []).filter((subscription) => subscription !== added),
        );
      };
    },

    async publish(resource, event, payload) {
      if (event.startsWith('precommit_') && payload.tx === undefined) {
        throw new TypeError(`${event} of ${resource} ${payload.resource_id} was published without its transaction`);
      }
      const list = subscriptions.get(keyOf(resource, event)) ?? [];
      if (event.startsWith('after_')) await runAll(list, resource, event, payload);
      else for (const { callback } of list) await callback(payload);
    },

    listens: (resource, event) => (subscriptions.get(keyOf(resource, event)) ?? []).length > 0,
  };

  async function runAll(
    list: readonly Subscription[],
    resource: string,
    event: CallbackEvent,
    payload: CallbackPayload,
  ): Promise<void> {
    for (const { callback } of list) {
      try {
        await callback(payload);
      } catch (error) {
        log.error('a callback failed after the commit; the operation stands', {
          resource,
          event,
          resource_id: payload.resource_id,
          request_id: payload.context.request_id,
          error,
        });
      }
    }
  }
}

function keyOf(resource: string, event: CallbackEvent): string {
  return `${event} ${resource}`;
}
