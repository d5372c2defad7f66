/**
 * The contract of extension drivers (neutron_lib.plugins.ml2.api.ExtensionDriver), as *attribute extensions*: attributes that are
 * added to networks, subnets or ports say where they live (columns of the resource's row, or a table of the driver's
 * own) and how they are read. The list statement takes the reading up, so a driver never costs a statement per row.
 */
import type { ExtensionDefinition } from '../api/definition.ts';
import type { Filter } from '../api/query.ts';
import type { Context } from '../context.ts';
import type { Transaction } from '../database.ts';
import type { Resource } from '../plugin.ts';

/** How an attribute is read and filtered; what `src/db` knows as AttributeSql. */
export interface AttributeReading {
  readonly select: string;
  readonly type?: 'text' | 'uuid' | 'boolean' | 'integer' | 'inet' | 'cidr';
  readonly filter?: (filter: Filter, parameters: { add(value: unknown, cast?: string): string }) => string;
  readonly sort?: string | false;
  /** The expression of its JSON text, never null, where there is a cheaper one than `to_json` of `select`. */
  readonly json?: string;
}

/** A row to be written: what goes into the columns that the driver named. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** A resource that has just been created or changed. */
export interface Written {
  readonly id: string;
  /** What the caller asked for. */
  readonly body: Resource;
  /** As it was (update). */
  readonly original?: Resource;
  /** The new row by column, what `create` of all extensions gave included (create). */
  readonly row?: Readonly<Record<string, unknown>>;
}

export interface AttributeExtension {
  /** Attributes by wire name, over the alias of the resource's row: `n` network, `s` subnet, `p` port. */
  readonly attributes: Readonly<Record<string, AttributeReading>>;
  /** Those of the attributes that are read for the server itself: nobody is told them. */
  readonly internal?: readonly string[];
  /** Joined to every reading, at most one row for each of the resource's: `left join my_table m on m.port_id = p.id`. */
  readonly join?: string;
  /** Columns of the resource's own row, with their SQL types: `{port_security_enabled: 'boolean'}`. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Values of all `columns` for a new row. `network` is the network of a subnet or port. */
  create?(input: { readonly context: Context; readonly body: Resource; readonly network?: Resource }): ColumnValues;
  /** Values of the columns that the body changes. `current` has the attributes as they are to be, where those are known. */
  update?(input: { readonly context: Context; readonly body: Resource; readonly original: Resource }): ColumnValues;
  /**
   * For a table of the driver's own: runs in the transaction, after the resource's rows are written, once per request. True: all
   * was written by statements sent before anything was waited for, so that a reading sent right after the call sees it.
   */
  store?(tx: Transaction, context: Context, written: readonly Written[]): Promise<boolean>;
  /** Attributes whose change an L2 agent must hear of. */
  readonly notifies?: readonly string[];
}

export interface ExtensionDriver {
  /** `port_security`: its name in `[ml2] extension_drivers`. */
  readonly name: string;
  /** What is served when the driver is loaded. */
  readonly extensions: readonly ExtensionDefinition[];
  readonly networks?: AttributeExtension;
  readonly subnets?: AttributeExtension;
  readonly ports?: AttributeExtension;
}
