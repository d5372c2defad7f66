/**
 * The integration bridge of a simulated host, where its agents meet: the L3 agent plugs the ports of routers in, and the layer 2
 * agent sees them appear and vanish, as it would see interfaces of Open vSwitch.
 */

/** Told of ports by id. */
export interface BridgeWatcher {
  plugged(ids: readonly string[]): void;
  unplugged(ids: readonly string[]): void;
}

/** Ports that routers and floating IPs have; the layer 2 agent leaves them to the L3 agent, where there is one. */
export const isRoutersPort = (device_owner: string): boolean =>
  device_owner.startsWith('network:router_') ||
  device_owner.startsWith('network:ha_router_') ||
  device_owner === 'network:floatingip_agent_gateway';

export class Bridge {
  /** Whether an L3 agent here plugs the ports of routers; otherwise they are there when they are bound. */
  routed = false;
  /** Who has a port plugged in, by the port: routers of one external network share a port. */
  readonly #owners = new Map<string, Set<string>>();
  #watcher: BridgeWatcher | undefined;

  /** One layer 2 agent watches; it is told of what is there already. */
  watch(watcher: BridgeWatcher): void {
    this.#watcher = watcher;
    if (this.#owners.size > 0) watcher.plugged([...this.#owners.keys()]);
  }

  has(port: string): boolean {
    return this.#owners.has(port);
  }

  /** Changes what an owner has plugged in. */
  change(owner: string, before: Iterable<string>, now: Iterable<string>): void {
    const kept = new Set(now);
    const appeared: string[] = [];
    const vanished: string[] = [];
    for (const port of kept) {
      const owners = this.#owners.get(port);
      if (owners !== undefined) owners.add(owner);
      else {
        this.#owners.set(port, new Set([owner]));
        appeared.push(port);
      }
    }
    for (const port of before) {
      const owners = this.#owners.get(port);
      if (kept.has(port) || owners === undefined || !owners.delete(owner) || owners.size > 0) continue;
      this.#owners.delete(port);
      vanished.push(port);
    }
    if (appeared.length > 0) this.#watcher?.plugged(appeared);
    if (vanished.length > 0) this.#watcher?.unplugged(vanished);
  }
}
