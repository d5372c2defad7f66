/** The retained message of each topic, found by topic filter; bounded, in memory. */
import type { Message } from './message.ts';

interface Node {
  readonly children: Map<string, Node>;
  message: Message | undefined;
}

export class RetainedStore {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #root: Node = { children: new Map(), message: undefined };
  #count = 0;
  #bytes = 0;

  constructor(bounds: { readonly maxMessages: number; readonly maxBytes: number }) {
    this.#maxMessages = bounds.maxMessages;
    this.#maxBytes = bounds.maxBytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Keeps the message as its topic's; one without payload clears the topic. False: there is no room. */
  set(message: Message): boolean {
    if (message.payload.length === 0) {
      this.#remove(message.topic);
      return true;
    }
    let node: Node | undefined = this.#root;
    for (const level of message.topic.split('/')) node = node?.children.get(level);
    const before = node?.message;
    if (before === undefined && this.#count >= this.#maxMessages) return false;
    if (this.#bytes - (before?.size ?? 0) + message.size > this.#maxBytes) return false;
    this.#place(message);
    this.#count += before === undefined ? 1 : 0;
    this.#bytes += message.size - (before?.size ?? 0);
    return true;
  }

  /** The retained messages that a filter matches; those that have expired are forgotten on the way. */
  match(filter: string, now: number): Message[] {
    const found: Message[] = [];
    collect(this.#root, filter.split('/'), 0, found);
    return found.filter((message) => {
      if (message.expiresAt > now) return true;
      this.#remove(message.topic);
      return false;
    });
  }

  /** Forgets what has expired. */
  sweep(now: number): void {
    const all: Message[] = [];
    collectAll(this.#root, all);
    for (const message of all) if (message.expiresAt <= now) this.#remove(message.topic);
  }

  #place(message: Message): void {
    let node = this.#root;
    for (const level of message.topic.split('/')) {
      const child: Node = node.children.get(level) ?? { children: new Map(), message: undefined };
      node.children.set(level, child);
      node = child;
    }
    node.message = message;
  }

  #remove(topic: string): void {
    const levels = topic.split('/');
    const path: Node[] = [this.#root];
    for (const level of levels) {
      const next = path.at(-1)?.children.get(level);
      if (next === undefined) return;
      path.push(next);
    }
    const node = path.at(-1);
    if (node?.message === undefined) return;
    this.#count -= 1;
    this.#bytes -= node.message.size;
    node.message = undefined;
    for (let depth = levels.length; depth > 0; depth -= 1) {
      const leaf = path[depth];
      if (leaf === undefined || leaf.message !== undefined || leaf.children.size > 0) return;
      path[depth - 1]?.children.delete(levels[depth - 1] ?? '');
    }
  }
}

function collect(node: Node, levels: readonly string[], depth: number, found: Message[]): void {
  const level = levels[depth];
  if (level === undefined) {
    if (node.message !== undefined) found.push(node.message);
    return;
  }
  if (level === '#') {
    if (depth > 0) collectAll(node, found);
    else for (const [name, child] of node.children) if (!name.startsWith('$')) collectAll(child, found);
    return;
  }
  if (level === '+') {
    for (const [name, child] of node.children) {
      if (depth > 0 || !name.startsWith('$')) collect(child, levels, depth + 1, found);
    }
    return;
  }
  const child = node.children.get(level);
  if (child !== undefined) collect(child, levels, depth + 1, found);
}

function collectAll(node: Node, found: Message[]): void {
  if (node.message !== undefined) found.push(node.message);
  for (const child of node.children.values()) collectAll(child, found);
}
