/** What identity refuses, with Keystone's class names, statuses and messages, which clients and test suites know. */
import { defineError, HttpUnauthorized } from '#src/lib/errors.ts';

const REQUIRES_AUTHENTICATION = 'The request you have made requires authentication.';

/** Nobody we know: tells the caller where tokens are to be had. */
export class Unauthenticated extends HttpUnauthorized {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(authUri: string) {
    super(REQUIRES_AUTHENTICATION);
    this.headers = { 'WWW-Authenticate': `Keystone uri="${authUri}"` };
  }
}

const TooManyRequests = defineError('TooManyRequests', 429, (text: string) => text);

/** Too many logins failed: says when the next may be tried. */
export class TooManyFailures extends TooManyRequests {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(seconds: number) {
    super(`Too many failed logins: wait ${seconds} seconds before the next.`);
    this.headers = { 'Retry-After': String(seconds) };
  }
}

/** A login that failed, whatever the reason: the text never says which. */
export const Unauthorized = defineError('Unauthorized', 401, () => REQUIRES_AUTHENTICATION);
export const UnsupportedAuthMethod = defineError(
  'AuthMethodNotSupported',
  401,
  () => 'Attempted to authenticate with an unsupported method.',
);
export const ScopeWithApplicationCredential = defineError(
  'ApplicationCredentialAuthError',
  401,
  () => 'Error authenticating with application credential: Application credentials cannot request a scope.',
);
export const Busy = defineError('ServiceUnavailable', 503, (what: string) => what);

export const ValidationError = defineError('ValidationError', 400, (text: string) => text);
export const Forbidden = defineError('Forbidden', 403, (text: string) => text);
export const ForbiddenAction = defineError(
  'ForbiddenAction',
  403,
  (action: string) => `You are not authorized to perform the requested action: ${action}.`,
);
export const NotFound = defineError('NotFound', 404, (what: string, id: string) => `Could not find ${what}: ${id}.`);
export const TokenNotFound = defineError('TokenNotFound', 404, () => 'Could not find token.');
export const UnknownPath = defineError('NotFound', 404, () => 'The resource could not be found.');
export const NotAllowed = defineError(
  'MethodNotAllowed',
  405,
  () => 'The method is not allowed for the requested URL.',
);
export const Conflict = defineError(
  'Conflict',
  409,
  (what: string, details: string) => `Conflict occurred attempting to store ${what} - ${details}.`,
);
