/** Versioned objects as they travel (oslo.versionedobjects). */
import type { JsonObject } from '#src/lib/api/attributes.ts';

/** One object with its type; objects within it are written the same way. */
export function versionedObject(
  { name, version }: { readonly name: string; readonly version: string },
  data: JsonObject,
): JsonObject {
  return {
    'versioned_object.name': name,
    'versioned_object.namespace': 'versionedobjects',
    'versioned_object.version': version,
    'versioned_object.data': data,
  };
}
