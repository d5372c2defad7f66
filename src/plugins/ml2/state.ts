/** What the verbs of networks, subnets and ports lean on. */
import type { Config } from '#src/lib/config.ts';
import type { Binder } from './binding/mod.ts';
import type { DhcpHooks } from './dhcp/mod.ts';
import type { LifecycleHost } from './lifecycle.ts';
import type { ExtensionManager } from './managers/extension.ts';
import type { TypeManager } from './managers/type.ts';
import type { Replicas } from './replicas/mod.ts';
import type { PortStatuses } from './status/mod.ts';

export interface Ml2 extends LifecycleHost {
  readonly config: Config;
  readonly types: TypeManager;
  readonly extensions: ExtensionManager;
  readonly statuses: PortStatuses;
  readonly binder: Binder;
  readonly replicas: Replicas;
  readonly dhcp: DhcpHooks;
}
