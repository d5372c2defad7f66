/** The API as a Worker: the module that workerd (or a platform built on it) runs. docs/deployment.md says how. */
import { HttpServiceUnavailable } from '#src/lib/errors.ts';
import type { Bindings, ExecutionContext } from './bindings.ts';
import { createIsolate, type Isolate } from './isolate.ts';

/** The isolate's own, once; undefined when its bindings cannot be used, which is said once. */
let built: Promise<Isolate | undefined> | undefined;

async function build(bindings: Bindings): Promise<Isolate | undefined> {
  try {
    return await createIsolate(bindings);
  } catch (error) {
    console.error('the bindings of this Worker cannot be used:', error);
    return undefined;
  }
}

/** The caller's address where a platform tells it (it gives requests a `cf`); without one anybody could write the header. */
function remoteOf(request: Request & { readonly cf?: unknown }): { readonly address: string } {
  const address = request.cf === undefined ? null : request.headers.get('cf-connecting-ip');
  return { address: address ?? 'unknown' };
}

async function answer(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
  built ??= build(bindings);
  const ready = await built;
  if (ready === undefined) return unavailable();
  const { api, db, database } = ready;
  return db.during(database, context, () => api.fetch(request, remoteOf(request)));
}

function unavailable(): Response {
  const { status, type, message } = new HttpServiceUnavailable(
    'The service is not configured; its log says what is wrong.',
  );
  return Response.json({ NeutronError: { type, message, detail: '' } }, { status });
}

export default {
  fetch(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
    const answered = answer(request, bindings, context);
    // A client that hangs up must not leave a verb half done, nor others waiting for what its request holds.
    context.waitUntil(answered);
    return answered;
  },
};
