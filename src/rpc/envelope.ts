/**
 * The payloads: `{method, args, version, namespace?, context}` and `{result}` or `{failure: {type, message}}`. What arrives is
 * hostile until it has been parsed here; what leaves is never over the limit that brokers and agents are set up for.
 */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { NeutronError, ServiceUnavailable } from '#src/lib/errors.ts';
import type { RpcAnswer, RpcMessage } from '#src/lib/rpc.ts';
import { isUnavailable } from '#src/lib/unavailable.ts';
import { InternalError, MalformedMessage, MessageTooLarge } from './errors.ts';

/** No payload is ever larger. */
export const MAX_BYTES = 1024 * 1024;
/** What senders aim to stay below: larger messages delay the ones behind them. */
export const AIM_BYTES = 256 * 1024;

/** Deeper than anything that agents say; what is bottomless breaks whoever writes it out again. */
const MAX_DEPTH = 64;

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(255));
// What JSON.parse made is Json: custom checks keep valibot (and tsc) from walking the recursive type again.
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const object = v.custom<object>(isObject, 'must be an object');

const REQUEST = v.object({
  method: name,
  args: v.optional(object, () => ({})),
  version: v.optional(v.pipe(v.string(), v.regex(/^\d{1,6}\.\d{1,6}$/, 'must be major.minor')), '1.0'),
  namespace: v.nullish(name),
  context: v.optional(object, () => ({})),
});

const ANSWER = v.union([
  v.strictObject({ result: v.custom<object | string | number | boolean | null>((value) => value !== undefined) }),
  v.strictObject({ failure: v.strictObject({ type: v.string(), message: v.string() }) }),
]);

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text, if it may travel; throws MessageTooLarge. A text that fits even at three bytes a unit is not measured. */
export function bounded(text: string, what: string): string {
  if (text.length * 3 <= MAX_BYTES) return text;
  const bytes = encoder.encode(text).length;
  if (bytes > MAX_BYTES) throw new MessageTooLarge(what, bytes, MAX_BYTES);
  return text;
}

/** The text of a request or notification; throws MessageTooLarge. */
export function encodeMessage(message: RpcMessage): string {
  return bounded(JSON.stringify(message), `The message ${message.method}`);
}

/** The text of an answer; one that is too large becomes a failure that says so. */
export function encodeAnswer(method: string, answer: RpcAnswer): string {
  try {
    return bounded(JSON.stringify(answer), `The answer to ${method}`);
  } catch (error) {
    return JSON.stringify(failureOf(method, error));
  }
}

/** How an error travels: those of ours with type and message, a defect without its text. */
export function failureOf(method: string, error: unknown): RpcAnswer {
  const { type, message } = toNeutronError(method, error);
  return { failure: { type, message } };
}

function toNeutronError(method: string, error: unknown): NeutronError {
  if (error instanceof NeutronError) return error;
  if (!isUnavailable(error)) return new InternalError(method);
  return new ServiceUnavailable(`${method}: the server's database cannot be reached at the moment, try again`);
}

function parseJson(payload: Uint8Array): unknown {
  if (payload.length > MAX_BYTES) throw new MessageTooLarge('The message', payload.length, MAX_BYTES);
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(payload));
  } catch (cause) {
    throw new MalformedMessage(`not JSON in UTF-8 (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  if (!isShallow(parsed, MAX_DEPTH)) throw new MalformedMessage(`nested more than ${MAX_DEPTH} levels deep`);
  return parsed;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

function issueText(issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  const [issue] = issues;
  return `${v.getDotPath(issue) ?? 'the payload'}: ${issue.message}`;
}

/** Reads a request or notification; throws MalformedMessage or MessageTooLarge. */
export function decodeMessage(payload: Uint8Array): RpcMessage {
  const parsed = v.safeParse(REQUEST, parseJson(payload));
  if (!parsed.success) throw new MalformedMessage(issueText(parsed.issues));
  const { namespace, args, context, ...message } = parsed.output;
  return {
    ...message,
    args: args as JsonObject,
    context: context as JsonObject,
    ...(namespace == null ? {} : { namespace }),
  };
}

/** Reads an answer; throws MalformedMessage. */
export function decodeAnswer(payload: Uint8Array): RpcAnswer {
  const parsed = v.safeParse(ANSWER, parseJson(payload));
  if (!parsed.success) throw new MalformedMessage(issueText(parsed.issues));
  return parsed.output as RpcAnswer;
}
