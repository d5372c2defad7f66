/** Attributes that are a column of their resource's row under the same name: most of what extension drivers add. */
import type { AttributeExtension, AttributeReading } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';

/** Kinds of columns: how they are written, compared, and ordered where they are null. */
const KINDS = {
  text: { sql: 'text', type: 'text', sort: (column: string) => `coalesce(${column}, '')` },
  boolean: { sql: 'boolean', type: 'boolean', sort: (column: string) => `coalesce(${column}, false)` },
  json: { sql: 'json', type: undefined, sort: (_: string): false => false },
} as const;

export interface ColumnOptions {
  /** The resource's alias: `n` network, `s` subnet, `p` port. */
  readonly alias: 'n' | 's' | 'p';
  readonly kind: keyof typeof KINDS;
  /** What is kept of a value that was given; null for none unless told. */
  readonly keep?: (value: unknown) => unknown;
  readonly notifies?: boolean;
}

/** The attribute `name`, read from and written to its own column. */
export function columnAttribute(name: string, options: ColumnOptions): AttributeExtension {
  const { alias, kind, keep = (value) => value ?? null, notifies = false } = options;
  const { sql, type, sort } = KINDS[kind];
  const column = `${alias}.${name}`;
  const reading: AttributeReading = { select: column, sort: sort(column), ...(type === undefined ? {} : { type }) };
  return {
    attributes: { [name]: reading },
    columns: { [name]: sql },
    create: ({ body }: { readonly body: Resource }) => ({ [name]: keep(body[name]) }),
    update: ({ body }: { readonly body: Resource }) => (name in body ? { [name]: keep(body[name]) } : {}),
    notifies: notifies ? [name] : [],
  };
}
