/** What several plugins and drivers add to one resource, as one: taken up by its reading and its writes. */
import type { AttributeExtension, AttributeReading, ColumnValues } from '#src/lib/ml2/extension_driver.ts';

/** What all of them together add to one resource. */
export interface ResourceExtensions {
  readonly attributes: Readonly<Record<string, AttributeReading>>;
  /** Appended to the reading's `from`. */
  readonly joins: string;
  /** Columns of the row beside the core's, with their SQL types. */
  readonly columns: Readonly<Record<string, string>>;
  readonly notifies: readonly string[];
  /** Attributes that are read for the server itself. */
  readonly internal: ReadonlySet<string>;
  create(input: Parameters<NonNullable<AttributeExtension['create']>>[0]): ColumnValues;
  update(input: Parameters<NonNullable<AttributeExtension['update']>>[0]): ColumnValues;
  /** Whether `store` does anything. */
  readonly stores: boolean;
  /** Attributes that `store` keeps, in tables beside the resource's own. */
  readonly stored: readonly string[];
  store: NonNullable<AttributeExtension['store']>;
}

/** Joins the extensions, in order; those that are not there add nothing. */
export function joinExtensions(given: readonly (AttributeExtension | undefined)[]): ResourceExtensions {
  const extensions = given.filter((extension) => extension !== undefined);
  const stores = extensions.filter(({ store }) => store !== undefined);
  return {
    attributes: Object.assign({}, ...extensions.map(({ attributes }) => attributes)),
    joins: extensions.map((extension) => (extension.join === undefined ? '' : ` ${extension.join}`)).join(''),
    columns: Object.assign({}, ...extensions.map(({ columns }) => columns ?? {})),
    notifies: extensions.flatMap(({ notifies }) => notifies ?? []),
    internal: new Set(extensions.flatMap(({ internal }) => internal ?? [])),
    create: (input) => Object.assign({}, ...extensions.map((extension) => extension.create?.(input) ?? {})),
    update: (input) => Object.assign({}, ...extensions.map((extension) => extension.update?.(input) ?? {})),
    stores: stores.length > 0,
    stored: stores.flatMap(({ attributes }) => Object.keys(attributes)),
    async store(tx, context, written) {
      // All are called before any is waited for: their first statements are sent at once.
      const outcomes = await Promise.all(stores.map(({ store }) => store?.(tx, context, written)));
      return !outcomes.includes(false);
    },
  };
}
