/** Arguments of calls are hostile until they have been read by a schema, once, at the door of the method. */
import * as v from 'valibot';
import type { JsonObject } from '#src/lib/api/attributes.ts';
import { InvalidInput } from '#src/lib/errors.ts';

/** The arguments as the schema has them; throws InvalidInput, which names the method and the first argument that is wrong. */
export function parseArguments<Schema extends v.GenericSchema>(
  schema: Schema,
  method: string,
  args: JsonObject,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, args);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new InvalidInput(`${method}: ${v.getDotPath(issue) ?? 'arguments'}: ${issue.message}`);
}
