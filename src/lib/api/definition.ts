/**
 * Resource and extension definitions: the maps from which `src/api` generates the router, `/v2.0/extensions`, body
 * validation, filters and policy rules. A plugin's `definition.ts` is written in these types (neutron_lib.api.definitions).
 */
import type { AttributeMap } from './attributes.ts';
import type { Schema } from './schema.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** `update_all` and `delete_all` are PUT and DELETE on the collection itself (tags). */
export type Operation = 'list' | 'show' | 'create' | 'update' | 'delete' | 'update_all' | 'delete_all';

/** An action below an item (`PUT /routers/{id}/add_router_interface`) or a collection. */
export interface ActionDefinition {
  readonly method: HttpMethod;
  /** Status of success where it is not 200. */
  readonly status?: number;
  /** The plugin's verb, where it is not the action's own name: `get_default_quota` for `/quotas/{id}/default`. */
  readonly verb?: string;
  /** The policy rule, where it is not the action's own name. One that is not defined leaves it to the item's own rules. */
  readonly policy?: string;
  /** The verb answers the item, which is shown as by `GET`: under its name, with what the caller may see. */
  readonly answers_item?: boolean;
  /** Attributes that the body sets below the item's name: `add_external_gateways:external_gateways` and the like are asked. */
  readonly enforces?: readonly string[];
  /** What the body and the answer look like, for the API's description. */
  readonly request?: Schema;
  readonly response?: Schema;
}

export interface ResourceDefinition {
  /** Plural, with underscores: `security_group_rules`. The URL takes `-` and `_` alike. */
  readonly collection: string;
  /** Singular: the key of the body, and the name in verbs and policy rules. */
  readonly member: string;
  /** `/qos` for `/v2.0/qos/policies`. */
  readonly path_prefix?: string;
  /** A sub-resource stands below an item of its parent: `/v2.0/ports/{port_id}/bindings`. */
  readonly parent?: { readonly collection: string; readonly member: string; readonly path_prefix?: string };
  readonly attributes: AttributeMap;
  /** What clients may do; what is left out answers 405. */
  readonly operations: readonly Operation[];
  /** Several in one POST, as `{"ports": [...]}`, by the verb `create_port_bulk`. */
  readonly bulk?: boolean;
  readonly member_actions?: Readonly<Record<string, ActionDefinition>>;
  readonly collection_actions?: Readonly<Record<string, ActionDefinition>>;
  /** The attribute that names an item in the URL; `id` unless told. */
  readonly key?: string;
  /** Counted against a quota of this name (its member name unless told); false: not counted. */
  readonly quota?: string | false;
  /** Foreign objects whose owner policy rules may ask for: `{network: 'network_id'}` gives `network:project_id`. */
  readonly policy_parents?: Readonly<Record<string, string>>;
  /** Policy names where they are not `{operation}_{member}`: `{list: 'get_quota'}`. */
  readonly policy_names?: Readonly<Partial<Record<Operation, string>>>;
  /**
   * What a caller learns whom policy denies a change: of an item that it does not see, nothing (404, lists leave the item out;
   * usual), or that it is so (403; quotas); `absent`: 404 even of one that it sees (address groups, as in Neutron).
   */
  readonly denial?: 'hidden' | 'forbidden' | 'absent';
  /** The verbs take and give the wire's bodies as they are: no top key, no defaults, no view (tags, an agent's networks). */
  readonly raw?: boolean;
  /** Statuses of success where they are not 201 (create), 204 (delete) and 200. */
  readonly statuses?: Readonly<Partial<Record<Operation, number>>>;
  /** What bodies and answers look like, for the API's description, where the attributes do not tell (`raw`). */
  readonly requests?: Readonly<Partial<Record<Operation, Schema>>>;
  readonly responses?: Readonly<Partial<Record<Operation, Schema>>>;
}

/** An API extension: an alias in `/v2.0/extensions`, with the resources and attributes it brings. */
export interface ExtensionDefinition {
  readonly alias: string;
  readonly name: string;
  readonly description: string;
  /** `2013-02-03T10:00:00-00:00` */
  readonly updated: string;
  readonly resources?: readonly ResourceDefinition[];
  /** Attributes added to resources of others, by collection. Added only if the alias is served. */
  readonly attributes?: Readonly<Record<string, AttributeMap>>;
  readonly member_actions?: Readonly<Record<string, Readonly<Record<string, ActionDefinition>>>>;
  /** Aliases that must be served too, or the server does not start. */
  readonly required_extensions?: readonly string[];
  readonly optional_extensions?: readonly string[];
}
