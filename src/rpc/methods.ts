/**
 * What a plugin's `contract.ts` is written in: methods that the server answers, messages that it has for agents, objects that it
 * pushes; each with the shape of what travels. Agents read by these shapes what arrives, once; what they do not name is kept,
 * so that a newer server does not disturb an older agent.
 */
import type * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';

type Shape<Value = unknown> = v.GenericSchema<unknown, Value>;

/** A method of the server's. */
export interface RemoteMethod<Args extends JsonObject, Result> {
  /** `q-plugin` */
  readonly topic: string;
  readonly method: string;
  /** The version that the method needs. */
  readonly version: string;
  readonly namespace?: string;
  readonly result: Shape<Result>;
  /** Carries the type of the arguments; has no value. */
  readonly args?: Args;
}

/** Declares a method: `remoteMethod<{ host: string }>()({ topic, method, version, result })`. */
export function remoteMethod<Args extends JsonObject>() {
  return <Result>(method: Omit<RemoteMethod<Args, Result>, 'args'>): RemoteMethod<Args, Result> => method;
}

/** A topic that agents listen on, with the messages that come there. */
export interface MessageTopic {
  readonly topic: string;
  readonly messages: Readonly<Record<string, Shape>>;
}

/** What is done with the messages of a topic; those without a handler are passed over. */
export type MessageHandlers<Topic extends MessageTopic> = {
  readonly [Method in keyof Topic['messages']]?: (
    args: v.InferOutput<Topic['messages'][Method]>,
  ) => Promise<void> | void;
};

/** A versioned object that is pushed when it changes. */
export interface PushedObject<Data> {
  /** `Port` */
  readonly name: string;
  /** `1.11` */
  readonly version: string;
  readonly data: Shape<Data>;
}
