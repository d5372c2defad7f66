/**
 * The centre of the broker: knows all sessions, routes each message to those that subscribe, keeps retained messages and
 * decides when sessions end and wills are due. Everything is synchronous and in memory; a message is with its
 * subscribers' sessions before its publisher is told so.
 *
 * A client gets one copy of a message however many of its plain subscriptions match, with the highest QoS among them and
 * all their identifiers; each shared subscription adds one copy for one member. When a member's connection breaks, what
 * it has not acknowledged goes to another connected member at once; when its session ends, to any member.
 */
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Grant } from './grants.ts';
import type { BrokerLimits } from './limits.ts';
import type { Delivery, Message, QoS } from './message.ts';
import { REASON, type Reason } from './reasons.ts';
import { RetainedStore } from './retained_store.ts';
import { type Outlet, Session, type Will } from './session.ts';
import type { Stats } from './stats.ts';
import { type ShareGroup, type Subscription, SubscriptionTree } from './subscription_tree.ts';

export interface HubParts {
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stats: Stats;
}

/** What a CONNECT asks for, once its user is known. */
export interface Opening {
  readonly clientId: string;
  readonly username: string;
  readonly grant: Grant;
  /** Begin anew. */
  readonly clean: boolean;
  /** Seconds that the session is kept without a connection. */
  readonly expiry: number;
  readonly will: Will | undefined;
}

export type Opened =
  | { readonly kind: 'opened'; readonly session: Session; readonly present: boolean }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly message: string };

/** Milliseconds between two searches for expired messages. */
const SWEEP = 10_000;

export class Hub {
  readonly #parts: HubParts;
  readonly #sessions = new Map<string, Session>();
  readonly #tree = new SubscriptionTree();
  readonly #retained: RetainedStore;
  readonly #overflowed = new Set<Session>();
  #nextSweep = 0;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#retained = new RetainedStore({
      maxMessages: parts.limits.maxRetainedMessages,
      maxBytes: parts.limits.maxRetainedBytes,
    });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get retained(): number {
    return this.#retained.count;
  }

  /** Takes up or begins the client's session; an older connection of it is closed. `Session.connect` follows. */
  open(opening: Opening): Opened {
    const { clientId, username } = opening;
    this.#settle(this.#sessions.get(clientId), this.#parts.clock.now());
    const known = this.#sessions.get(clientId);
    if (known !== undefined && known.username !== username) {
      return refused(REASON.clientIdentifierNotValid, `the client id ${clientId} belongs to another user`);
    }
    if (known !== undefined) this.#takeOver(known, opening.clean);
    const kept = this.#sessions.get(clientId);
    if (kept === undefined && this.#sessions.size >= this.#parts.limits.maxSessions) {
      return refused(REASON.quotaExceeded, `the broker keeps no more than ${this.#parts.limits.maxSessions} sessions`);
    }
    const session = kept ?? new Session(clientId, username, opening.grant, this.#parts);
    this.#sessions.set(clientId, session);
    session.grant = opening.grant;
    session.expiry = opening.expiry;
    session.will = opening.will;
    return { kind: 'opened', session, present: kept !== undefined };
  }

  /** The connection is gone; `sendWill` unless the client said a plain good-bye. */
  close(session: Session, outlet: Outlet, sendWill: boolean): void {
    if (session.outlet !== outlet) return;
    const now = this.#parts.clock.now();
    session.disconnect();
    if (!sendWill) session.will = undefined;
    if (session.will !== undefined) session.willAt = now + Math.min(session.will.delay, session.expiry) * 1000;
    session.endsAt = now + session.expiry * 1000;
    if (session.endsAt <= now) {
      this.#end(session);
      return;
    }
    session.handOver((delivery) => this.#redeliver(delivery, session, true));
    if (session.willAt <= now) this.#sendWill(session);
  }

  /** Adds a subscription and says whether it replaces one. */
  subscribe(subscription: Subscription): { readonly existed: boolean } {
    const { session, filter } = subscription;
    const existed = session.subscriptions.has(filter);
    session.subscriptions.set(filter, subscription);
    this.#tree.add(subscription);
    return { existed };
  }

  /** False: there was no such subscription. */
  unsubscribe(session: Session, filter: string): boolean {
    this.#tree.remove(session, filter);
    return session.subscriptions.delete(filter);
  }

  /** Sends the retained messages that match a new subscription. */
  sendRetained(subscription: Subscription): void {
    for (const message of this.#retained.match(subscription.filter, this.#parts.clock.now())) {
      if (subscription.noLocal && message.publisher === subscription.session.clientId) continue;
      this.#deliver(subscription.session, {
        message,
        qos: lower(message.qos, subscription.qos),
        retain: true,
        ids: subscription.id === undefined ? undefined : [subscription.id],
        group: undefined,
      });
    }
  }

  /** Routes a message; the reason is what its publisher is told. */
  publish(message: Message): Reason {
    if (message.retain && !this.#retained.set(message)) {
      this.#parts.stats.drop('no room');
      return REASON.quotaExceeded;
    }
    const { subscriptions, groups } = this.#tree.match(message.topic);
    const wanted = subscriptions.filter((one) => !one.noLocal || one.session.clientId !== message.publisher);
    for (const delivery of wanted.length > 1 ? merge(wanted, message) : wanted.map((one) => copy(one, message))) {
      this.#deliver(delivery.session, delivery);
    }
    let refusals = 0;
    for (const group of groups) {
      if (!this.#share(message, group)) refusals += 1;
    }
    // The publisher of a shared message is told that no member has room: a call fails at once instead of timing out.
    if (refusals > 0) return REASON.quotaExceeded;
    return wanted.length + groups.length > 0 ? REASON.success : REASON.noMatchingSubscribers;
  }

  /** Looks at all deadlines. */
  tick(): void {
    const now = this.#parts.clock.now();
    const sweeps = now >= this.#nextSweep;
    if (sweeps) {
      this.#nextSweep = now + SWEEP;
      this.#retained.sweep(now);
    }
    for (const session of this.#sessions.values()) {
      this.#settle(session, now);
      if (session.isConnected) session.pump();
      else if (sweeps) session.expire(now);
    }
  }

  /** Sends the will and ends the session of an absent client, if they are due. */
  #settle(session: Session | undefined, now: number): void {
    if (session === undefined || session.isConnected) return;
    if (session.willAt <= now) this.#sendWill(session);
    if (session.endsAt <= now) this.#end(session);
  }

  #takeOver(session: Session, clean: boolean): void {
    const { outlet } = session;
    if (clean) {
      this.#end(session);
    } else if (outlet !== undefined) {
      session.disconnect();
      // A delayed will is not sent, for the session goes on at once; one without delay is.
      if (session.will?.delay === 0) this.#sendWill(session);
      session.will = undefined;
    }
    outlet?.end(REASON.sessionTakenOver, 'another connection with this client id took the session over');
  }

  #end(session: Session): void {
    this.#sessions.delete(session.clientId);
    session.disconnect();
    for (const filter of session.subscriptions.keys()) this.#tree.remove(session, filter);
    session.subscriptions.clear();
    session.handOver((delivery) => this.#redeliver(delivery, session, false));
    session.clear();
    this.#sendWill(session);
  }

  #sendWill(session: Session): void {
    const { will } = session;
    session.will = undefined;
    session.willAt = Number.POSITIVE_INFINITY;
    if (will === undefined) return;
    const { message, expiry } = will;
    this.publish(expiry === undefined ? message : { ...message, expiresAt: this.#parts.clock.now() + expiry * 1000 });
  }

  #deliver(session: Session, delivery: Delivery): void {
    if (session.deliver(delivery)) return;
    this.#parts.stats.drop('no room');
    if (this.#overflowed.size === 0) queueMicrotask(() => this.#endOverflowed());
    this.#overflowed.add(session);
  }

  #endOverflowed(): void {
    const sessions = [...this.#overflowed];
    this.#overflowed.clear();
    for (const session of sessions) {
      const { outlet } = session;
      this.#parts.log.warn('a session took no more messages and was ended; its client must ask for everything again', {
        client_id: session.clientId,
        username: session.username,
        connected: outlet !== undefined,
      });
      this.#end(session);
      outlet?.end(REASON.quotaExceeded, 'too many messages wait for this client');
    }
  }

  /** One copy to one member of the group; false: none has room. */
  #share(message: Message, group: ShareGroup): boolean {
    const member = group.pick(message.size, message.qos === 0);
    if (member === undefined) {
      this.#parts.stats.drop(message.qos === 0 ? 'away' : 'no room');
      return message.qos === 0;
    }
    this.#deliver(member.session, copy(member, message, group));
    return true;
  }

  #redeliver(delivery: Delivery, from: Session, live: boolean): boolean {
    const { message, group } = delivery;
    const member = group?.pick(message.size, live, from);
    if (member === undefined) return false;
    this.#deliver(member.session, copy(member, message, group));
    return true;
  }
}

/** A subscription's copy of a message. */
function copy(
  subscription: Subscription,
  message: Message,
  group?: ShareGroup,
): Delivery & { readonly session: Session } {
  return {
    session: subscription.session,
    message,
    qos: lower(message.qos, subscription.qos),
    retain: message.retain && subscription.retainAsPublished,
    ids: subscription.id === undefined ? undefined : [subscription.id],
    group,
  };
}

/** One copy for each session, whichever of its subscriptions matched. */
function merge(subscriptions: readonly Subscription[], message: Message): (Delivery & { readonly session: Session })[] {
  const copies = new Map<Session, Delivery & { readonly session: Session }>();
  for (const subscription of subscriptions) {
    const one = copy(subscription, message);
    const other = copies.get(one.session);
    copies.set(
      one.session,
      other === undefined
        ? one
        : {
            ...one,
            qos: higher(one.qos, other.qos),
            retain: one.retain || other.retain,
            ids: one.ids === undefined ? other.ids : [...(other.ids ?? []), ...one.ids],
          },
    );
  }
  return [...copies.values()];
}

function higher(one: QoS, other: QoS): QoS {
  return lower(one, other) === one ? other : one;
}

function lower(one: QoS, other: QoS): QoS {
  return Math.min(one, other) as QoS;
}

function refused(reason: Reason, message: string): Opened {
  return { kind: 'refused', reason, message };
}
