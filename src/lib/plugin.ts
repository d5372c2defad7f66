/**
 * The contract between the server and a plugin, whether it lives in `src/plugins`, in `src/services` or in somebody
 * else's package (`service_plugins = their-package`). A plugin module's default export is a `PluginModule`.
 */
import type { ExtensionDefinition, ResourceDefinition } from './api/definition.ts';
import type { ListQuery, TextForm } from './api/query.ts';
import type { CallbackRegistry } from './callbacks.ts';
import type { Clock } from './clock.ts';
import type { Config, OptionSpec } from './config.ts';
import type { Context } from './context.ts';
import type { Database, Last, Transaction, TransactionOptions } from './database.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { AttributeExtension } from './ml2/extension_driver.ts';
import type { PolicyDefault } from './policy.ts';
import type { QuotaEngine, QuotaResource } from './quota.ts';
import type { Audience, MessageReader, Outbox, PresenceHandler, RpcListener, VersionedObjectType } from './rpc.ts';
import type { PluginWorker } from './worker.ts';

/** One object of the API, by wire names. */
export type Resource = Readonly<Record<string, unknown>>;

/** A page of a list; `more` says whether another page follows in the direction of travel. */
export interface ResourceList {
  readonly items: readonly Resource[];
  readonly more: boolean;
  /**
   * The items as the query's `text` wants them, from a store that can; `items` is then made only for who reads it. It is not
   * enumerable: a verb that copies the list to change it drops the texts with the copy.
   */
  readonly written?: readonly WrittenItem[];
}

/** An item whose JSON text is ready to be sent. */
export class WrittenItem {
  readonly text: string;
  readonly values: Resource;

  constructor(text: string, values: Resource) {
    this.text = text;
    this.values = values;
  }
}

/** What a verb is called with; which of these are set follows from the operation. */
export interface Call {
  /** The item's id (show, update, delete, member actions). */
  readonly id?: string;
  /** Ids of the items above a sub-resource, by member name: `{port: '<uuid>'}`. */
  readonly parents: Readonly<Record<string, string>>;
  /** The prepared body (create, update, actions). */
  readonly body?: Resource;
  /** The prepared bodies of a bulk create. */
  readonly bodies?: readonly Resource[];
  /** Set for lists. */
  readonly query?: ListQuery;
  /** Attributes to read for a show; undefined: all. */
  readonly fields?: readonly string[];
  /** The API needs no more of a show's item than this: a verb that can may answer it as a WrittenItem. */
  readonly text?: TextForm;
  /** `If-Match: revision_number=N`: the write must find this revision, or throws RevisionNumberConstraintFailed. */
  readonly if_match?: number;
  /** The object as policy saw it just before (update, delete; the one above, of raw resources): saves the verb a read, never a lock. */
  readonly original?: Resource;
}

/**
 * A plugin's verbs by Neutron's names: `create_port`, `create_port_bulk`, `get_port`, `get_ports`, `update_port`,
 * `delete_port`; actions by their own name (`add_router_interface`); sub-resources with the parent's name as Neutron
 * has it (`create_port_binding`).
 *
 * Answers: create, show, update and actions give a Resource; bulk create gives Resource[]; a list gives a ResourceList;
 * delete gives undefined. A show of what the context may not see throws the resource's NotFound.
 */
export type Verb = (context: Context, call: Call) => Promise<unknown>;

/**
 * A transaction of somebody else's that verbs of a plugin take part in. They answer as soon as their rows are written: a creation
 * with what it has made, in full; what they do behind their commit (drivers' postcommit, binding, after callbacks) they do
 * behind the commit of the whole. Projects' limits are not asked, what is made is counted.
 */
export type JointWork<Result> = (tx: Transaction, verbs: Readonly<Record<string, Verb>>, last: Last) => Promise<Result>;

export interface JointOptions<Result> extends TransactionOptions {
  /** What came behind the commit has failed, and the verbs have taken back what they made: takes back the rest. */
  readonly undo?: (result: Result) => Promise<void>;
}

/** A port, and the host that it is on from now on. */
export interface Placement {
  readonly port_id: string;
  readonly host: string;
}

export interface Plugin {
  /** neutron_lib.plugins.constants: `CORE`, `L3_ROUTER_NAT`, `QOS`, or its own name. */
  readonly type: string;
  /** What is served when this plugin is loaded. */
  readonly extensions: readonly ExtensionDefinition[];
  /** Resources served without an extension (the core's networks, subnets and ports). */
  readonly resources?: readonly ResourceDefinition[];
  readonly verbs: Readonly<Record<string, Verb>>;
  /** Runs work of another plugin's in one transaction with the verbs of this one's networks, subnets and ports (`CORE`). */
  together?<Result>(options: JointOptions<Result>, work: JointWork<Result>): Promise<Result>;
  /**
   * Says on which hosts ports are, and binds them there, many at once in a fixed number of statements (`CORE`): what an update
   * of `binding:host_id` does. Nothing happens to those that are there already, are of all hosts, or are gone.
   */
  place?(context: Context, placements: readonly Placement[]): Promise<void>;
  /** Ports are DOWN until the hosts that they are bound to have wired them again; those bound elsewhere stay as they are (`CORE`). */
  unwire?(context: Context, placements: readonly Placement[]): Promise<void>;
  readonly policies?: readonly PolicyDefault[];
  readonly quotas?: readonly QuotaResource[];
  /** What RBAC policies can share. */
  readonly rbac?: readonly RbacObjectType[];
  /** Tables of the collections whose items carry tags (a column of the standard attributes): `{networks: 'networks'}`. */
  readonly tagged?: Readonly<Record<string, string>>;
  /** Whom messages of the outbox are for, by the names that notifications use. */
  readonly audiences?: Readonly<Record<string, Audience>>;
  /** What messages of the outbox carry, by the names that notifications use. */
  readonly readers?: Readonly<Record<string, MessageReader>>;
  /** Versioned objects that agents are told of and may pull. */
  readonly objects?: readonly VersionedObjectType[];
  /** Answered by every `rpc worker`. */
  rpcListeners?(): readonly RpcListener[];
  /** Answered by the `rpc reports worker`s alone. */
  stateReportListeners?(): readonly RpcListener[];
  /** Told by the `rpc reports worker`s when an agent's process appears or is lost. */
  presence?(): PresenceHandler;
  workers?(): readonly PluginWorker[];
}

/** A type of object that RBAC policies share, with the table of its shares (`src/db/schema`; columns beside these: id, project_id). */
export interface RbacObjectType {
  /** `network`: the value of `object_type`, and the name in `get_network`. */
  readonly type: string;
  /** The table of the shares, its column that names the object, and the table of the objects. */
  readonly table: string;
  readonly column: string;
  readonly objects: string;
  /** `access_as_shared` and the like. */
  readonly actions: readonly string[];
  /** True where the objects have no revision that could grow when they are shared (address scopes). */
  readonly unrevised?: boolean;
  /**
   * Runs in the transaction that takes a share back (`target_project` a project's id or `*`), after the row is gone: throws
   * RbacPolicyInUse when somebody who can no longer see the object still uses it.
   */
  release?(
    tx: Transaction,
    share: { readonly object_id: string; readonly action: string; readonly target_project: string },
  ): Promise<void>;
  /** Runs in the transaction that shares, before the row is written: refuses what cannot be shared so. */
  share?(
    tx: Transaction,
    share: { readonly object_id: string; readonly action: string; readonly target_project: string },
  ): Promise<void>;
}

/** Finds the other plugins: `plugins.get('CORE')`. Complete once all are built; do not call it while building. */
export interface PluginDirectory {
  get(type: string): Plugin | undefined;
  all(): readonly Plugin[];
}

/** What a plugin is given; all it may lean on. */
export interface PluginHost {
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly callbacks: CallbackRegistry;
  readonly outbox: Outbox;
  readonly quota: QuotaEngine;
  readonly plugins: PluginDirectory;
  /** What all configured modules add to a collection of this plugin's. */
  readonly attributeExtensions: (collection: string) => readonly AttributeExtension[];
}

export interface PluginModule {
  /**
   * Its SQL migrations, where it keeps tables outside Nucleon's own: drizzle-kit's folder, and the name they are recorded
   * under, which stays the same wherever the module moves.
   */
  readonly migrations?: { readonly name: string; readonly folder: URL };
  /** Options of its own, known by name like ours: `[their_group] their_option`. */
  readonly options?: readonly OptionSpec[];
  /** Attributes that it adds to resources of other plugins, by collection (`ports`): asked before any plugin is created. */
  attributes?(
    host: Pick<PluginHost, 'config' | 'log' | 'quota' | 'callbacks'>,
  ): Readonly<Record<string, AttributeExtension>>;
  create(host: PluginHost): Plugin | Promise<Plugin>;
}
