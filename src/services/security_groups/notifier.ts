/**
 * What agents are told of security groups (neutron.api.rpc.handlers.securitygroups_rpc, neutron.db.securitygroups_rpc_base):
 *
 *   security_groups_rule_updated     to hosts with ports in a group: its rules have changed
 *   security_groups_member_updated   to hosts whose ports let the group's members through: who has come and gone
 *
 * The second carries the difference, not the group: a port that enters a group costs one row in the outbox and one message to
 * each host that it concerns, however many ports the group has. Hosts whose agents follow Port objects are not sent it: the
 * port's own object, pushed to them, says the same.
 *
 * Rows of one group may enter the outbox in another order than their transactions commit, since ports of a group do not wait for
 * each other. That does no harm: those of one port stay in order, and what two ports say of a group does not touch.
 */
import type { CallbackPayload } from '#src/lib/callbacks.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { PluginHost, Resource } from '#src/lib/plugin.ts';
import type { MessageNotification, Notification, ObjectNotification, Outbox } from '#src/lib/rpc.ts';

/** Leaves notifications in a transaction; they go out with what is sent next. A failure is the transaction's. */
export const leaver =
  (outbox: Outbox) =>
  (tx: Transaction, context: Context, notifications: readonly Notification[]): void =>
    void outbox.add(tx, context, notifications).catch(() => {});

const MESSAGE = { topic: 'q-agent-notifier-security_group-update', version: '1.1' } as const;

/** Tells the hosts with ports in a group that it has other rules now. */
export function rulesUpdated(group: string): MessageNotification {
  return {
    ...MESSAGE,
    to: { audience: 'security_group', of: [group] },
    method: 'security_groups_rule_updated',
    args: { security_groups: [group] },
    key: `security_group:${group}`,
  };
}

/** A change of a group's object. */
export const groupChanged = (id: string): ObjectNotification => ({
  object: 'SecurityGroup',
  id,
  key: `security_group:${id}`,
});

/** Changes of rules' objects, and of their groups' rules. */
export function rulesChanged(rules: readonly Resource[]): readonly Notification[] {
  const groups = new Set(rules.map((rule) => String(rule['security_group_id'])));
  const changes = rules.map((rule): ObjectNotification => {
    const group = String(rule['security_group_id']);
    const also = [{ audience: 'security_group', of: [group] }];
    return { object: 'SecurityGroupRule', id: String(rule['id']), key: `security_group:${group}`, also };
  });
  return [...changes, ...[...groups].toSorted().map(rulesUpdated)];
}

/** An address, or a network of them, with the MAC address that has it. */
type Member = readonly [ip: string, mac: string];

// Not an interface: it travels as JSON.
type Difference = { readonly added: readonly Member[]; readonly removed: readonly Member[] };

/** Differences with more members than this are not told: agents ask for the group. */
const LONGEST = 2000;

const listOf = <Item>(port: Resource, name: string): readonly Item[] => (port[name] ?? []) as readonly Item[];
const pairsOf = (port: Resource) => listOf<{ ip_address: string; mac_address: string }>(port, 'allowed_address_pairs');
const keyOf = ([ip, mac]: Member): string => `${ip} ${mac}`;

/** What a port adds to each of its groups: its addresses, and those that may pass it beside them. */
function membersOf(port: Resource): ReadonlyMap<string, Member> {
  const mac = String(port['mac_address']);
  const fixed = listOf<{ ip_address: string }>(port, 'fixed_ips').map(({ ip_address }): Member => [ip_address, mac]);
  const pairs = pairsOf(port).map(({ ip_address, mac_address }): Member => [ip_address, mac_address.toLowerCase()]);
  return new Map([...fixed, ...pairs].map((member) => [keyOf(member), member]));
}

const NONE: ReadonlyMap<string, Member> = new Map();
const without = (members: ReadonlyMap<string, Member>, others: ReadonlyMap<string, Member>): readonly Member[] =>
  [...members].filter(([key]) => !others.has(key)).map(([, member]) => member);

/**
 * The differences that a change of a port makes, by group; undefined for a group that the difference cannot be told of: an
 * allowed address pair may be held by several ports of the group, so that it is not gone when one of them gives it up.
 */
export function memberChanges(
  original: Resource | undefined,
  latest: Resource | undefined,
): ReadonlyMap<string, Difference | undefined> {
  const groupsOf = (port: Resource | undefined) => (port === undefined ? [] : listOf<string>(port, 'security_groups'));
  const [before, after] = [original, latest].map((port) => (port === undefined ? NONE : membersOf(port)));
  const shared = new Set(original === undefined ? [] : pairsOf(original).map(({ ip_address }) => ip_address));
  const changes = new Map<string, Difference | undefined>();
  for (const group of new Set([...groupsOf(original), ...groupsOf(latest)])) {
    const left = groupsOf(original).includes(group) ? before! : NONE;
    const come = groupsOf(latest).includes(group) ? after! : NONE;
    const difference = { added: without(come, left), removed: without(left, come) };
    if (difference.added.length === 0 && difference.removed.length === 0) continue;
    changes.set(group, difference.removed.some(([ip]) => shared.has(ip)) ? undefined : difference);
  }
  return changes;
}

/** The messages that go into the outbox together, one a group: each grows until then as further ports are told of. */
class MemberMessages {
  readonly #differences = new Map<string, { [group: string]: Difference }>();

  /** Takes the changes of a port up; answers the messages about groups that there were none of yet. */
  add(changes: ReturnType<typeof memberChanges>): readonly MessageNotification[] {
    return [...changes].flatMap(([group, change]) => {
      const members = this.#differences.get(group);
      if (members !== undefined) {
        const known = members[group];
        if (known === undefined) return [];
        const together = change === undefined ? undefined : join(known, change);
        if (together === undefined) delete members[group];
        else members[group] = together;
        return [];
      }
      const first: { [group: string]: Difference } = change === undefined ? {} : { [group]: change };
      this.#differences.set(group, first);
      return [membersUpdated(group, first)];
    });
  }
}

/** Both, one after the other; undefined where that is too long to tell. */
function join(first: Difference, second: Difference): Difference | undefined {
  const keys = (members: readonly Member[]) => new Set(members.map(keyOf));
  const [added, removed] = [keys(second.added), keys(second.removed)];
  const joined = {
    added: [...first.added.filter((member) => !removed.has(keyOf(member))), ...second.added],
    removed: [...first.removed.filter((member) => !added.has(keyOf(member))), ...second.removed],
  };
  return joined.added.length + joined.removed.length > LONGEST ? undefined : joined;
}

function membersUpdated(group: string, members: { readonly [group: string]: Difference }): MessageNotification {
  return {
    ...MESSAGE,
    to: { audience: 'security_group_remote', of: [group] },
    method: 'security_groups_member_updated',
    args: { security_groups: [group], members },
    key: `security_group:${group}`,
  };
}

/** Tells of groups that come with ports and networks, and of members as ports change, from now on. */
export function tellOfGroups({ callbacks, outbox }: Pick<PluginHost, 'callbacks' | 'outbox'>): void {
  const leave = leaver(outbox);
  callbacks.subscribe('security_group', 'precommit_create', ({ resource_id, latest, context, tx }) => {
    // Those that somebody asks for are told of by the verb, all of a request together.
    const implied = (latest as Resource | undefined)?.['is_default'] === true;
    if (implied && tx !== undefined) leave(tx, context, [groupChanged(resource_id)]);
  });
  const together = new WeakMap<NonNullable<CallbackPayload['notify']>, MemberMessages>();
  const tell = ({ original, latest, notify }: CallbackPayload<Resource>): void => {
    const changes = memberChanges(original, latest);
    if (changes.size === 0 || notify === undefined) return;
    const messages = together.get(notify) ?? new MemberMessages();
    together.set(notify, messages);
    notify(...messages.add(changes));
  };
  for (const event of ['precommit_create', 'precommit_update', 'precommit_delete'] as const) {
    callbacks.subscribe('port', event, (payload) => tell(payload as CallbackPayload<Resource>));
  }
}
