/**
 * A client's session: what outlives its connection. It holds the subscriptions, the messages sent and not acknowledged
 * (`inflight`) and those that wait.
 *
 *   QoS 0     goes out at once or not at all: dropped while the client is away or reads slowly
 *   QoS 1, 2  sent while the client's Receive Maximum leaves room, else queued, in order; sent again after a reconnect
 *             publish --PUBREC (QoS 2)--> release --PUBCOMP--> done      publish --PUBACK (QoS 1)--> done
 *
 * The queue is bounded. A session that would overflow is ended rather than thinned out: its client learns by Session
 * Present 0 that it missed something and asks for everything again, where a gap in the middle would stay unseen.
 */
import type { Clock } from '#src/lib/clock.ts';
import { Deque } from './deque.ts';
import type { Grant } from './grants.ts';
import type { BrokerLimits } from './limits.ts';
import type { Delivery, Message } from './message.ts';
import type { Reason } from './reasons.ts';
import type { Stats } from './stats.ts';
import type { Subscription } from './subscription_tree.ts';

/** The connection as its session uses it. */
export interface Outlet {
  /** Unacknowledged messages that the client takes at a time. */
  readonly window: number;
  /** Bytes written and not yet sent. */
  readonly backlog: number;
  /** False: the packet is larger than the client takes. */
  publish(delivery: Delivery, messageId: number, dup: boolean): boolean;
  release(messageId: number): void;
  /** Says the reason and closes. */
  end(reason: Reason, message: string): void;
}

export interface Will {
  /** Its expiry counts from when it is sent. */
  readonly message: Message;
  /** Seconds that it is valid then; undefined: for ever. */
  readonly expiry: number | undefined;
  /** Seconds. */
  readonly delay: number;
}

interface Inflight {
  readonly delivery: Delivery;
  stage: 'publish' | 'release';
}

export interface SessionParts {
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly stats: Stats;
}

const MAX_ID = 0xffff;

export class Session {
  readonly clientId: string;
  readonly username: string;
  /** Renewed at each connect. */
  grant: Grant;
  /** Seconds that it is kept without a connection. */
  expiry = 0;
  will: Will | undefined;
  /** When it ends, and when its will is due, while the client is away. */
  endsAt = Number.POSITIVE_INFINITY;
  willAt = Number.POSITIVE_INFINITY;
  readonly subscriptions = new Map<string, Subscription>();
  /** Identifiers of the client's QoS 2 messages that it has not released yet. */
  readonly received = new Set<number>();
  readonly #parts: SessionParts;
  readonly #inflight = new Map<number, Inflight>();
  readonly #queue = new Deque<Delivery>();
  #queuedBytes = 0;
  #lastId = 0;
  #outlet: Outlet | undefined;

  constructor(clientId: string, username: string, grant: Grant, parts: SessionParts) {
    this.clientId = clientId;
    this.username = username;
    this.grant = grant;
    this.#parts = parts;
  }

  get outlet(): Outlet | undefined {
    return this.#outlet;
  }

  get isConnected(): boolean {
    return this.#outlet !== undefined;
  }

  /** Whether a message would go out at once. */
  get isReady(): boolean {
    const outlet = this.#outlet;
    return outlet !== undefined && this.#queue.length === 0 && this.#canSend(outlet);
  }

  /** Whether a message of this size may be queued. */
  hasRoom(size: number): boolean {
    const { limits, stats } = this.#parts;
    return (
      this.#queue.length < limits.maxQueuedMessages &&
      this.#queuedBytes + size <= limits.maxQueuedBytes &&
      stats.queuedBytes + size <= limits.maxTotalQueuedBytes
    );
  }

  /** Sends or queues a copy; false: it had no room, and the session must end. */
  deliver(delivery: Delivery): boolean {
    const outlet = this.#outlet;
    if (delivery.qos === 0) {
      this.#deliverAtMostOnce(outlet, delivery);
      return true;
    }
    if (outlet !== undefined && this.#queue.length === 0 && this.#canSend(outlet)) {
      this.#send(outlet, delivery);
      return true;
    }
    if (!this.hasRoom(delivery.message.size)) return false;
    this.#queue.push(delivery);
    this.#count(delivery, 1);
    return true;
  }

  /** The client is here: what was begun is sent again in its order, then what waited. */
  connect(outlet: Outlet): void {
    this.#outlet = outlet;
    this.endsAt = Number.POSITIVE_INFINITY;
    this.willAt = Number.POSITIVE_INFINITY;
    for (const [id, { delivery, stage }] of this.#inflight) {
      if (stage === 'release') outlet.release(id);
      else if (!outlet.publish(delivery, id, true)) this.#inflight.delete(id);
    }
    this.pump();
  }

  disconnect(): void {
    this.#outlet = undefined;
  }

  /** PUBACK, PUBCOMP, or a PUBREC that refuses: the message is done with. False: there is no such message. */
  finish(messageId: number): boolean {
    const known = this.#inflight.delete(messageId);
    if (known) this.pump();
    return known;
  }

  /** PUBREC: from here on the message is the client's. False: there is no such message. */
  receivedByClient(messageId: number): boolean {
    const entry = this.#inflight.get(messageId);
    if (entry === undefined || entry.delivery.qos !== 2) return false;
    entry.stage = 'release';
    return true;
  }

  /** Sends what waits, as far as the client takes it. */
  pump(): void {
    const outlet = this.#outlet;
    if (outlet === undefined) return;
    const now = this.#parts.clock.now();
    while (this.#queue.length > 0 && this.#canSend(outlet)) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) return;
      this.#count(delivery, -1);
      if (delivery.message.expiresAt <= now) this.#parts.stats.drop('expired');
      else this.#send(outlet, delivery);
    }
  }

  /** Forgets waiting messages that have expired. */
  expire(now: number): void {
    this.#queue.retain((delivery) => {
      if (delivery.message.expiresAt > now) return true;
      this.#count(delivery, -1);
      this.#parts.stats.drop('expired');
      return false;
    });
  }

  /**
   * Offers what came by shared subscriptions and is not acknowledged to `take`; what it takes is no longer this
   * session's. A QoS 2 message that was sent stays: the client may have it already.
   */
  handOver(take: (delivery: Delivery) => boolean): void {
    for (const [id, { delivery, stage }] of this.#inflight) {
      if (delivery.group === undefined || delivery.qos === 2 || stage === 'release') continue;
      if (take(delivery)) this.#inflight.delete(id);
    }
    this.#queue.retain((delivery) => {
      if (delivery.group === undefined || !take(delivery)) return true;
      this.#count(delivery, -1);
      return false;
    });
  }

  /** Drops all messages. */
  clear(): void {
    this.#parts.stats.drop('session ended', this.#queue.length + this.#inflight.size);
    this.#inflight.clear();
    this.#queue.retain((delivery) => {
      this.#count(delivery, -1);
      return false;
    });
  }

  #deliverAtMostOnce(outlet: Outlet | undefined, delivery: Delivery): void {
    const { limits, stats } = this.#parts;
    if (outlet === undefined) {
      stats.drop('away');
      return;
    }
    // Retained messages are the answer to a SUBSCRIBE and may be many at once.
    const bound = delivery.retain ? limits.deadReaderBytes / 2 : limits.slowReaderBytes;
    if (outlet.backlog > bound) stats.drop('slow reader');
    else outlet.publish(delivery, 0, false);
  }

  #canSend(outlet: Outlet): boolean {
    return this.#inflight.size < outlet.window && outlet.backlog <= this.#parts.limits.slowReaderBytes;
  }

  #send(outlet: Outlet, delivery: Delivery): void {
    let id = this.#lastId;
    do {
      id = id === MAX_ID ? 1 : id + 1;
    } while (this.#inflight.has(id));
    this.#lastId = id;
    this.#inflight.set(id, { delivery, stage: 'publish' });
    if (!outlet.publish(delivery, id, false)) this.#inflight.delete(id);
  }

  #count(delivery: Delivery, sign: 1 | -1): void {
    this.#queuedBytes += sign * delivery.message.size;
    this.#parts.stats.queuedMessages += sign;
    this.#parts.stats.queuedBytes += sign * delivery.message.size;
  }
}
