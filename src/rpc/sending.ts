/**
 * What a connection sends that is not MQTT.js's own: PUBLISH packets with what is unacknowledged of them, and PUBACKs. Packets of
 * one turn of the event loop leave in one piece, in the order of the calls. Of QoS 1, what the broker has not acknowledged
 * when the connection breaks is sent again on the next one, before anything newer.
 *
 *   publish ──room in the broker's window──▶ in flight ──PUBACK──▶ settled
 *      └──none, or no connection──▶ waiting ──┘   ▲ └──connection lost, and back──┐
 *                                                 └──────────(again, DUP)─────────┘
 */
import { type Publication, type Room, writePuback, writePublish } from './publish_packet.ts';

/** Where bytes go; of node:stream as much as is needed. */
export interface ByteSink {
  write(bytes: Uint8Array): unknown;
}

interface Entry {
  readonly publication: Publication;
  /** With the reason code of the PUBACK; of QoS 0 when it is on its way. */
  readonly settle: (reason: number) => void;
  readonly fail: () => void;
}

/** Ids of MQTT.js (subscriptions) are below, those of messages above. */
export const FIRST_ID = 1024;
const LAST_ID = 0xffff;
/** Packets are put into pieces of memory of this size: one for each would cost more than all the rest. */
const SLAB_BYTES = 64 * 1024;

/** The ids that MQTT.js takes for its own packets: never one of ours. */
export function packetIds() {
  const used = new Set<number>();
  let last = 0;
  const register = (id: number): boolean => {
    if (used.has(id)) return false;
    used.add(id);
    last = id;
    return true;
  };
  return {
    allocate(): number | null {
      for (let tries = 1; tries < FIRST_ID; tries++) {
        const id = last + 1 < FIRST_ID ? last + 1 : 1;
        if (register(id)) return id;
        last = id;
      }
      return null;
    },
    getLastAllocated: (): number | null => (last === 0 ? null : last),
    register,
    deallocate: (id: number): void => void used.delete(id),
    clear: (): void => used.clear(),
  };
}

export class Sending {
  #sink: ByteSink | undefined;
  #window = 0;
  #lastId = LAST_ID;
  /** By packet id, in the order they were first sent in. */
  readonly #inFlight = new Map<number, Entry>();
  readonly #waiting: Entry[] = [];
  /** Where those that still wait begin. */
  #next = 0;
  /** Filled once, from the start: what has been handed to the sink must stay as it is. */
  #slab = new Uint8Array();
  /** Of the slab, what has not left yet. */
  #from = 0;
  #to = 0;
  #settled: (() => void) | undefined;

  /** There is a connection; the broker takes so many unacknowledged messages. */
  connected(sink: ByteSink, receiveMaximum: number): void {
    this.#sink = sink;
    this.#window = Math.min(receiveMaximum, LAST_ID - FIRST_ID);
    for (const [id, { publication }] of this.#inFlight) writePublish(publication, { id, dup: true }, this.#take);
    this.#pump();
  }

  disconnected(): void {
    this.#sink = undefined;
    this.#from = this.#to;
  }

  /** Resolves with the reason code of the broker's answer; rejects when all has ended, or of QoS 0 without a connection. */
  publish(publication: Publication): Promise<number> {
    if (publication.qos === 0) {
      if (this.#sink === undefined) return Promise.reject(new Error('no connection'));
      writePublish(publication, { id: 0, dup: false }, this.#take);
      return Promise.resolve(0);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ publication, settle: resolve, fail: () => reject(new Error('the connection has ended')) });
      this.#pump();
    });
  }

  acknowledged(id: number, reason: number): void {
    const entry = this.#inFlight.get(id);
    if (entry === undefined) return;
    this.#inFlight.delete(id);
    entry.settle(reason);
    this.#pump();
    if (this.pending === 0) this.#settled?.();
  }

  /** Messages of QoS 1 that the broker has not acknowledged. */
  get pending(): number {
    return this.#inFlight.size + this.#waiting.length - this.#next;
  }

  /** Resolves when none is pending. */
  settled(): Promise<void> {
    if (this.pending === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled = resolve;
    });
  }

  /** What is pending will not be sent any more. */
  end(): void {
    const left = [...this.#inFlight.values(), ...this.#waiting.slice(this.#next)];
    this.#inFlight.clear();
    this.#waiting.length = 0;
    this.#next = 0;
    for (const { fail } of left) fail();
    this.#settled?.();
  }

  /** Tells the broker that a message is dealt with that came by this connection; nothing when it is not the one there is now. */
  acknowledge(id: number, sink: ByteSink): void {
    if (sink === this.#sink) writePuback(id, this.#take);
  }

  /** Hands what is written to the connection. */
  flush(): void {
    if (this.#from === this.#to) return;
    this.#sink?.write(this.#slab.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  /** Room behind what is written; it leaves at the end of the turn. */
  readonly #take = (size: number): Room => {
    if (this.#to + size > this.#slab.length) {
      this.flush();
      this.#slab = new Uint8Array(Math.max(size, SLAB_BYTES));
      this.#from = 0;
      this.#to = 0;
    }
    if (this.#from === this.#to) setImmediate(() => this.flush());
    const at = this.#to;
    this.#to += size;
    return { bytes: this.#slab, at };
  };

  #pump(): void {
    if (this.#sink === undefined) return;
    while (this.#next < this.#waiting.length && this.#inFlight.size < this.#window) {
      const entry = this.#waiting[this.#next++]!;
      const id = this.#freeId();
      this.#inFlight.set(id, entry);
      writePublish(entry.publication, { id, dup: false }, this.#take);
    }
    if (this.#next === this.#waiting.length) this.#waiting.length = 0;
    else if (this.#next > 1000) this.#waiting.splice(0, this.#next);
    else return;
    this.#next = 0;
  }

  #freeId(): number {
    do {
      this.#lastId = this.#lastId === LAST_ID ? FIRST_ID : this.#lastId + 1;
    } while (this.#inFlight.has(this.#lastId));
    return this.#lastId;
  }
}
