/** What an agent may find in an answer. */
import { defineError } from '#src/lib/errors.ts';

export const UnexpectedAnswer = defineError(
  'UnexpectedAnswer',
  502,
  (method: string, path: string, reason: string) =>
    `The answer to ${method} is not as its contract says: ${path}: ${reason}. The server may be of another release`,
);
