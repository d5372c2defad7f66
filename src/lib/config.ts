/** Configuration as the rest sees it: typed values by group and option; `src/config` reads and checks them. */

export type OptionValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>> | null;

/** How an option is declared (oslo.config's types). */
export interface OptionSpec {
  /** `DEFAULT`, `ml2` */
  readonly group: string;
  /** With underscores. */
  readonly name: string;
  readonly type:
    | 'string'
    | 'integer'
    | 'float'
    | 'boolean'
    | 'list'
    | 'dict'
    | 'multi'
    | 'port'
    | 'host'
    | 'ip'
    | 'uri';
  readonly default: OptionValue;
  readonly min?: number;
  readonly max?: number;
  /** What the value (of a list: each item) may be; null also allows an empty value. */
  readonly choices?: readonly (string | null)[];
  /** A regular expression that the value (of a list: each item) must match. */
  readonly pattern?: string;
  readonly max_length?: number;
  /** Former places in the file, `[group, name]`; null means the same group or name. */
  readonly deprecated_names?: readonly (readonly [group: string | null, name: string | null])[];
  /** Still read, but whoever sets it is told that it will go. */
  readonly deprecated_for_removal?: boolean;
  /** Never printed. */
  readonly secret?: boolean;
  readonly help?: string;
  /** Whether something here reads it; one that is only recognised is named once in the log when it is set. */
  readonly effective: boolean;
}

export interface Config {
  string(group: string, name: string): string;
  /** Null where the option is unset and has no default. */
  optionalString(group: string, name: string): string | null;
  integer(group: string, name: string): number;
  float(group: string, name: string): number;
  boolean(group: string, name: string): boolean;
  list(group: string, name: string): readonly string[];
  dict(group: string, name: string): Readonly<Record<string, string>>;
  /** Whether a file or the environment set it. */
  isSet(group: string, name: string): boolean;
  /** Options of a group that no table declares (`[pipeline:api]`, a foreign plugin's), as written. */
  section(group: string): Readonly<Record<string, string>>;
}
