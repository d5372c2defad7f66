/** Forwarding entries as layer 2 population tells them: which addresses are behind which host's tunnel end, by network. */
import type { FdbEntries, MovedAddresses } from '#src/plugins/ml2/agents/contract.ts';

export class Forwarding {
  /** `mac ip` by tunnel end, by network. */
  readonly #networks = new Map<string, Map<string, Set<string>>>();

  /** `mac ip` by tunnel end. */
  of(network: string): Readonly<Record<string, readonly string[]>> {
    const ends = [...(this.#networks.get(network) ?? [])];
    return Object.fromEntries(ends.map(([end, addresses]) => [end, [...addresses].sort()]));
  }

  add(entries: FdbEntries): void {
    for (const [network, { ports = {} }] of Object.entries(entries)) {
      const ends = this.#networks.get(network) ?? new Map<string, Set<string>>();
      this.#networks.set(network, ends);
      for (const [end, addresses] of Object.entries(ports)) {
        const there = ends.get(end) ?? new Set();
        ends.set(end, there);
        for (const [mac, ip] of addresses) there.add(`${mac} ${ip}`);
      }
    }
  }

  remove(entries: FdbEntries): void {
    for (const [network, { ports = {} }] of Object.entries(entries)) {
      const ends = this.#networks.get(network);
      for (const [end, addresses] of Object.entries(ports)) {
        const there = ends?.get(end);
        for (const [mac, ip] of addresses) there?.delete(`${mac} ${ip}`);
        if (there?.size === 0) ends?.delete(end);
      }
      if (ends?.size === 0) this.#networks.delete(network);
    }
  }

  /** Addresses that ports have left and taken. */
  move(changes: MovedAddresses): void {
    for (const [network, ends] of Object.entries(changes)) {
      for (const [end, { before = [], after = [] }] of Object.entries(ends)) {
        this.remove({ [network]: { ports: { [end]: before } } });
        this.add({ [network]: { ports: { [end]: after } } });
      }
    }
  }

  forget(network: string): void {
    this.#networks.delete(network);
  }
}
