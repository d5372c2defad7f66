/**
 * The errors a client or an agent can meet, one table. An error has Neutron's type name, an HTTP status and a message;
 * `src/api/faults.ts` and `src/rpc` turn it into an answer. A plugin declares its own with `defineError` in the
 * `errors.ts` of its folder. Types, statuses and the messages that clients depend on are those of neutron_lib.exceptions.
 */

/** What every error of ours carries; anything else that is thrown is a defect and answers 500 without its text. */
export class NeutronError extends Error {
  /** Neutron's exception class name, the `type` of the answer's body. */
  readonly type: string;
  readonly status: number;
  /** Extra response headers (`Retry-After`, `WWW-Authenticate`). */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    type: string,
    status: number,
    message: string,
    options: { readonly cause?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.type = type;
    this.status = status;
    this.headers = options.headers ?? {};
    this.name = type;
  }
}

/** A class of errors: `throw new NetworkNotFound(id)`. */
export interface ErrorClass<Parameters extends readonly unknown[]> {
  new (...parameters: Parameters): NeutronError;
  readonly type: string;
  readonly status: number;
}

/** Declares an error class by its wire type, status and message. */
export function defineError<Parameters extends readonly unknown[]>(
  type: string,
  status: number,
  message: (...parameters: Parameters) => string,
): ErrorClass<Parameters> {
  const defined = class extends NeutronError {
    static readonly type = type;
    static readonly status = status;
    constructor(...parameters: Parameters) {
      super(type, status, message(...parameters));
    }
  };
  Object.defineProperty(defined, 'name', { value: type });
  return defined as ErrorClass<Parameters>;
}

const said = (text: string) => text;

// HTTP errors: raised by the API itself (webob's names).
export const HttpBadRequest = defineError('HTTPBadRequest', 400, said);
export const HttpUnauthorized = defineError('HTTPUnauthorized', 401, said);
export const HttpForbidden = defineError('HTTPForbidden', 403, said);
export const HttpNotFound = defineError(
  'HTTPNotFound',
  404,
  (text: string = 'The resource could not be found.') => text,
);
export const HttpMethodNotAllowed = defineError('HTTPMethodNotAllowed', 405, said);
export const HttpNotAcceptable = defineError('HTTPNotAcceptable', 406, said);
export const HttpRequestTooLarge = defineError('HTTPRequestEntityTooLarge', 413, said);
export const HttpUnsupportedMediaType = defineError('HTTPUnsupportedMediaType', 415, said);
export const HttpTooManyRequests = defineError('HTTPTooManyRequests', 429, said);
export const HttpServiceUnavailable = defineError('HTTPServiceUnavailable', 503, said);
export const RevisionNumberConstraintFailed = defineError('RevisionNumberConstraintFailed', 412, said);

// neutron_lib.exceptions: the ones that several plugins raise.
export const BadRequest = defineError(
  'BadRequest',
  400,
  (resource: string, reason: string) => `Bad ${resource} request: ${reason}.`,
);
export const InvalidInput = defineError(
  'InvalidInput',
  400,
  (reason: string) => `Invalid input for operation: ${reason}.`,
);
export const NotAuthorized = defineError('NotAuthorized', 403, () => 'Not authorized.');
export const PolicyNotAuthorized = defineError(
  'PolicyNotAuthorized',
  403,
  (rule: string) => `${rule} is disallowed by policy`,
);
export const OverQuota = defineError(
  'OverQuota',
  409,
  (resources: readonly string[]) =>
    `Quota exceeded for resources: [${resources.map((name) => `'${name}'`).join(', ')}].`,
);
export const ServiceUnavailable = defineError('ServiceUnavailable', 503, said);
export const ExtensionsNotFound = defineError(
  'ExtensionsNotFound',
  500,
  (extensions: readonly string[]) => `Extensions not found: ${extensions.join(', ')}.`,
);
export const RbacPolicyInUse = defineError(
  'RbacPolicyInUse',
  409,
  (objectId: string, details: string) =>
    `RBAC policy on object ${objectId} cannot be removed because other objects depend on it. Details: ${details}`,
);
export const NetworkNotFound = defineError('NetworkNotFound', 404, (id: string) => `Network ${id} could not be found.`);
export const SubnetNotFound = defineError('SubnetNotFound', 404, (id: string) => `Subnet ${id} could not be found.`);
export const PortNotFound = defineError('PortNotFound', 404, (id: string) => `Port ${id} could not be found.`);
export const AvailabilityZoneNotFound = defineError(
  'AvailabilityZoneNotFound',
  404,
  (zone: string) => `AvailabilityZone ${zone} could not be found.`,
);
export const AgentNotFound = defineError('AgentNotFound', 404, (id: string) => `Agent ${id} could not be found.`);
