/** The errors of tags (neutron.extensions.tagging). */
import { defineError } from '#src/lib/errors.ts';

export const TagNotFound = defineError('TagNotFound', 404, (tag: string) => `Tag ${tag} could not be found.`);
export const TagResourceNotFound = defineError(
  'TagResourceNotFound',
  404,
  (resource: string, id: string) => `Resource ${resource} ${id} could not be found.`,
);
