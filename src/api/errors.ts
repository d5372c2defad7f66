/** The API's own errors. What keeps it from starting names who needs what, so that an operator can act on it. */
import { HttpMethodNotAllowed, type NeutronError } from '#src/lib/errors.ts';

/** The plugins or the configuration do not fit together; the server does not start. */
export class ApiSetupError extends Error {
  override readonly name = 'ApiSetupError';
}

/** A resource is declared whose plugin lacks the verb that serves it. */
export function missingVerb(plugin: string, verb: string, resource: string, served: string): ApiSetupError {
  return new ApiSetupError(
    `plugin '${plugin}' has no verb '${verb}', which the resource '${resource}' needs for ${served}: ` +
      'add the verb, or leave the operation out of the definition',
  );
}

/** 405 for a method that what the path names does not know. */
export function methodNotAllowed(method: string): NeutronError {
  return new HttpMethodNotAllowed(`The method ${method} is not allowed for this resource.`);
}
