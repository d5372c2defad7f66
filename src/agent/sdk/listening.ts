/** From a message to the handler of its method. */
import * as v from 'valibot';
import type { Logger } from '#src/lib/log.ts';
import type { RpcMessage } from '#src/lib/rpc.ts';
import type { MessageHandlers, MessageTopic } from '#src/rpc/contract.ts';

/**
 * What handles the messages of a topic. One that is not as the contract says is told in the log and passed over: the next
 * resynchronisation brings what it had to say.
 */
export function messageReader<Topic extends MessageTopic>(
  { topic, messages }: Topic,
  handlers: MessageHandlers<Topic>,
  log: Logger,
): (message: RpcMessage) => Promise<void> {
  return async ({ method, args }) => {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    const shape = messages[method];
    if (handler === undefined || shape === undefined) return;
    const read = v.safeParse(shape, args);
    if (!read.success) {
      const [issue] = read.issues;
      log.error('a message is not as its contract says', {
        topic,
        method,
        at: v.getDotPath(issue),
        reason: issue.message,
      });
      return;
    }
    await handler(read.output as Parameters<typeof handler>[0]);
  };
}
