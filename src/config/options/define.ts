/** How option tables are written: one literal per group, keyed by option. */
import type { OptionSpec } from '#src/lib/config.ts';

/** An option without what its place in the table says; `effective` is false unless told. */
export type Declaration = Omit<OptionSpec, 'group' | 'name' | 'effective'> & { readonly effective?: true };

/** Turns a table into option specifications of one group. */
export function defineGroup(group: string, table: Readonly<Record<string, Declaration>>): readonly OptionSpec[] {
  return Object.entries(table).map(([name, declaration]) => ({ effective: false, ...declaration, group, name }));
}
