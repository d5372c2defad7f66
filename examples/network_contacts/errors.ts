/** The plugin's errors: type, status and message, as clients see them. */
import { defineError } from '#src/plugin_api/mod.ts';

export const NetworkContactNotFound = defineError(
  'NetworkContactNotFound',
  404,
  (id: string) => `Network contact ${id} could not be found.`,
);
export const NetworkContactMustBeAsked = defineError(
  'NetworkContactMustBeAsked',
  409,
  (network_id: string, emails: readonly string[]) =>
    `Network ${network_id} cannot be deleted while contacts must be asked first: ${emails.join(', ')}. ` +
    'Ask them, then delete those contacts or set their notify to false.',
);
