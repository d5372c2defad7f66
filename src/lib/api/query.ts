/**
 * A list request, parsed and checked by `src/api/query`, and what the plugin's store answers. Values are converted by the
 * attribute's converter; the database part (`src/db/list.ts`) turns this into one statement.
 */
import type { Json } from './attributes.ts';

/**
 * One attribute's filter: any of the values matches. Tags come as the attributes `tags` (all of the values), `tags-any`,
 * `not-tags` and `not-tags-any`, the owner always as `project_id`.
 */
export interface Filter {
  readonly attribute: string;
  /** `~` for substring filters (`fixed_ips=ip_address_substr=...`), `empty` for `attribute=` (empty-string-filtering). */
  readonly operator: 'in' | 'substring';
  readonly values: readonly Json[];
  /** For compound attributes: `ip_address` of `fixed_ips=ip_address=10.0.0.3`. */
  readonly key?: string;
}

export interface Sort {
  readonly attribute: string;
  readonly direction: 'asc' | 'desc';
}

export interface ListQuery {
  readonly filters: readonly Filter[];
  /** Stable: ends with the primary key. */
  readonly sorts: readonly Sort[];
  /** Undefined: all rows. One more row than this is never returned; the API asks for limit + 1 itself if it must. */
  readonly limit?: number;
  /** The id of the last item of the page before; the plugin throws the resource's NotFound where there is none of it. */
  readonly marker?: string;
  /** Pages backwards from the marker; rows still come in the order of `sorts`. */
  readonly reverse: boolean;
  /** Attributes to read: what the caller asked for and what policy needs. Undefined: all. */
  readonly fields?: readonly string[];
  /** `changed_since`, ISO 8601. */
  readonly changed_since?: string;
  /** The API needs no more of an item than this; a store that cannot give it answers by `fields`. */
  readonly text?: TextForm;
}

/** An item as JSON text that is sent as it is, with the values that are looked at on the way (`ResourceList.written`). */
export interface TextForm {
  /** Attributes of the text, in order; those that the store does not know are left out, as from an object. */
  readonly attributes: readonly string[];
  /** Attributes wanted as values: what policy reads of each item, and what names it where the list is paged. */
  readonly values: readonly string[];
}
