/**
 * Who subscribes to a topic: a tree by topic level, so that a match costs the depth of the topic and not the number of
 * subscriptions. A shared subscription is one entry, its group, which picks the member for each message.
 */
import type { QoS } from 'mqtt-packet';
import type { Session } from './session.ts';
import { sharedFilter } from './topics.ts';

export interface Subscription {
  readonly session: Session;
  /** As it was sent, `$share/group/` included. */
  readonly filter: string;
  readonly qos: QoS;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  readonly id: number | undefined;
}

/** The members of one shared subscription (`$share/group/filter`). */
export class ShareGroup {
  #members: readonly Subscription[] = [];
  #next = 0;

  get size(): number {
    return this.#members.length;
  }

  set(subscription: Subscription): void {
    this.remove(subscription.session);
    this.#members = [...this.#members, subscription];
  }

  remove(session: Session): void {
    this.#members = this.#members.filter((member) => member.session !== session);
  }

  /**
   * The next member in turn: first among those that can take a message at once, then among those that are connected,
   * then (unless `live`) among those that are away. None: nobody has room.
   */
  pick(size: number, live: boolean, except?: Session): Subscription | undefined {
    return (
      this.#turn(except, (session) => session.isReady) ??
      this.#turn(except, (session) => session.isConnected && session.hasRoom(size)) ??
      (live ? undefined : this.#turn(except, (session) => !session.isConnected && session.hasRoom(size)))
    );
  }

  #turn(except: Session | undefined, suits: (session: Session) => boolean): Subscription | undefined {
    const count = this.#members.length;
    for (let step = 0; step < count; step += 1) {
      const at = (this.#next + step) % count;
      const member = this.#members[at];
      if (member !== undefined && member.session !== except && suits(member.session)) {
        this.#next = (at + 1) % count;
        return member;
      }
    }
    return undefined;
  }
}

interface Node {
  readonly children: Map<string, Node>;
  /** The children `+` and `#`, which every match looks at. */
  plus: Node | undefined;
  hash: Node | undefined;
  readonly subscriptions: Map<Session, Subscription>;
  readonly groups: Map<string, ShareGroup>;
}

/** What matches one topic. */
export interface Matches {
  readonly subscriptions: Subscription[];
  readonly groups: ShareGroup[];
}

export class SubscriptionTree {
  readonly #root = newNode();

  /** Adds or replaces the session's subscription to this filter. */
  add(subscription: Subscription): void {
    const shared = sharedFilter(subscription.filter);
    let node = this.#root;
    for (const level of (shared?.filter ?? subscription.filter).split('/')) node = childOf(node, level);
    if (shared === null) {
      node.subscriptions.set(subscription.session, subscription);
      return;
    }
    const group = node.groups.get(shared.group) ?? new ShareGroup();
    node.groups.set(shared.group, group);
    group.set(subscription);
  }

  remove(session: Session, filter: string): void {
    const shared = sharedFilter(filter);
    const levels = (shared?.filter ?? filter).split('/');
    const path: Node[] = [this.#root];
    for (const level of levels) {
      const next = path.at(-1)?.children.get(level);
      if (next === undefined) return;
      path.push(next);
    }
    const node = path.at(-1) ?? this.#root;
    if (shared === null) {
      node.subscriptions.delete(session);
    } else {
      const group = node.groups.get(shared.group);
      group?.remove(session);
      if (group?.size === 0) node.groups.delete(shared.group);
    }
    for (let depth = levels.length; depth > 0; depth -= 1) {
      const leaf = path[depth];
      const parent = path[depth - 1];
      const level = levels[depth - 1];
      if (leaf === undefined || parent === undefined || level === undefined || !isEmpty(leaf)) return;
      parent.children.delete(level);
      if (parent.plus === leaf) parent.plus = undefined;
      if (parent.hash === leaf) parent.hash = undefined;
    }
  }

  match(topic: string): Matches {
    const matches: Matches = { subscriptions: [], groups: [] };
    const levels = topic.split('/');
    if (topic.startsWith('$')) {
      // A wildcard at the first level does not match topics of the broker's own kind.
      const child = this.#root.children.get(levels[0] ?? '');
      if (child !== undefined) descend(child, levels, 1, matches);
    } else {
      descend(this.#root, levels, 0, matches);
    }
    return matches;
  }
}

function descend(node: Node, levels: readonly string[], depth: number, matches: Matches): void {
  if (node.hash !== undefined) collect(node.hash, matches);
  const level = levels[depth];
  if (level === undefined) {
    collect(node, matches);
    return;
  }
  if (node.plus !== undefined) descend(node.plus, levels, depth + 1, matches);
  const child = node.children.get(level);
  if (child !== undefined) descend(child, levels, depth + 1, matches);
}

function collect(node: Node, matches: Matches): void {
  for (const subscription of node.subscriptions.values()) matches.subscriptions.push(subscription);
  for (const group of node.groups.values()) matches.groups.push(group);
}

function childOf(node: Node, level: string): Node {
  const known = node.children.get(level);
  if (known !== undefined) return known;
  const child = newNode();
  node.children.set(level, child);
  if (level === '+') node.plus = child;
  if (level === '#') node.hash = child;
  return child;
}

function newNode(): Node {
  return { children: new Map(), plus: undefined, hash: undefined, subscriptions: new Map(), groups: new Map() };
}

function isEmpty(node: Node): boolean {
  return node.children.size === 0 && node.subscriptions.size === 0 && node.groups.size === 0;
}
