/**
 * The attribute `security_groups` of ports, and the default groups that ports and networks bring about.
 *
 * A new port costs one statement, sent with the port's own: it puts the port into the named groups or into its project's
 * default group, and answers only what is in the way. Groups that are named are locked by a statement before, so that what is
 * then seen of them (sharing, statefulness) stays true until the port is there.
 */
import { anyOf, Parameters } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid } from '#src/lib/ids.ts';
import type { AttributeExtension, Written } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { publisher } from './callbacks.ts';
import { type DefaultGroupHost, makeDefaultGroups } from './default_group.ts';
import {
  PortSecurityAndIPRequiredForSecurityGroups,
  PortSecurityPortHasSecurityGroup,
  SecurityGroupConflict,
  SecurityGroupNotFound,
} from './errors.ts';
import { groupScope, sharedWith } from './scope.ts';
import { keepInPlace, withoutDefaultGroup } from './store.ts';

const NAME = 'security_groups';
const GROUPS_JSON =
  `'[' || array_to_string(array(select '"' || m.security_group_id || '"' from port_security_groups m ` +
  `where m.port_id = p.id order by m.security_group_id), ',') || ']'`;

/** Attributes of ports, and what is done for new networks. */
export function portSecurityGroups(host: DefaultGroupHost): Readonly<Record<'ports' | 'networks', AttributeExtension>> {
  const implied = impliedGroups(host);

  const join = async (tx: Transaction, context: Context, places: readonly Place[]): Promise<boolean> => {
    const lacking = await joinGroups(tx, context, places);
    await implied.make(tx, context, lacking);
    if (lacking.length > 0) await joinGroups(tx, context, places);
    return lacking.length === 0;
  };

  const ports: AttributeExtension = {
    attributes: {
      [NAME]: {
        select: `(${GROUPS_JSON})::json`,
        json: GROUPS_JSON,
        filter: ({ values }, parameters) =>
          `p.id in (select m.port_id from port_security_groups m where ${anyOf('m.security_group_id', 'uuid', values, parameters as Parameters)})`,
        sort: false,
      },
    },
    create({ body, network }) {
      if (!isGuarded({ ...network, ...body }) && named(body).length > 0) {
        throw new PortSecurityAndIPRequiredForSecurityGroups();
      }
      return {};
    },
    update({ body, original }) {
      const port = { ...original, ...body };
      if (port['port_security_enabled'] !== false || named(port).length === 0) return {};
      throw body[NAME] === undefined
        ? new PortSecurityPortHasSecurityGroup()
        : new PortSecurityAndIPRequiredForSecurityGroups();
    },
    async store(tx, context, written) {
      if (written[0]?.original === undefined) return await join(tx, context, written.flatMap(placesOfNew));
      for (const port of written) {
        if (port.body[NAME] !== undefined) await changeGroups(tx, context, port, join);
      }
      return true;
    },
    notifies: [NAME],
  };

  const networks: AttributeExtension = {
    attributes: {},
    async store(tx, context, written) {
      if (written[0]?.original !== undefined) return true;
      const projects = new Set(written.map(({ row }) => String(row?.['project_id'] ?? '')));
      projects.delete('');
      await implied.make(tx, context, await withoutDefaultGroup(tx, [...projects]));
      return true;
    },
  };
  return { ports, networks };
}

/** Default groups made in a transaction of somebody else's: told of when that has come to its end. */
function impliedGroups(host: DefaultGroupHost) {
  const made = new WeakMap<Context, readonly Resource[]>();
  for (const kind of ['port', 'network']) {
    host.callbacks.subscribe(kind, 'after_create', async ({ context }) => {
      const groups = made.get(context) ?? [];
      made.delete(context);
      await publisher(host.callbacks, 'security_group').afterCreate(context, groups);
    });
  }
  return {
    /** Also where there is nothing to make: a transaction may run again, and what it made before is gone. */
    async make(tx: Transaction, context: Context, projects: readonly string[]): Promise<void> {
      made.delete(context);
      if (projects.length > 0) made.set(context, await makeDefaultGroups(host, tx, context, projects));
    },
  };
}

/** A port in a group: the group's id, or null for the default group of the port's project. */
interface Place {
  readonly port_id: string;
  readonly project_id: string;
  readonly group_id: string | null;
}

const named = (port: Resource): readonly string[] => (port[NAME] ?? []) as readonly string[];

/** Whether groups apply to the port: not where port security is off, nor to ports of routers, DHCP servers and the like. */
function isGuarded(port: Resource): boolean {
  return port['port_security_enabled'] !== false && !String(port['device_owner'] ?? '').startsWith('network:');
}

function placesOfNew({ id: port_id, body, row = {} }: Written): readonly Place[] {
  if (!isGuarded(row)) return [];
  const project_id = String(row['project_id']);
  if (body[NAME] === undefined) return [{ port_id, project_id, group_id: null }];
  return placesIn(named(body), { port_id, project_id });
}

function placesIn(groups: readonly string[], port: Omit<Place, 'group_id'>): readonly Place[] {
  const impossible = groups.find((group) => !isUuid(group));
  if (impossible !== undefined) throw new SecurityGroupNotFound(impossible);
  return groups.map((group_id) => ({ ...port, group_id }));
}

/** Takes a port out of the groups that it leaves, and puts it into those that it enters. */
async function changeGroups(
  tx: Transaction,
  context: Context,
  { id: port_id, body, original = {} }: Written,
  join: (tx: Transaction, context: Context, places: readonly Place[]) => Promise<boolean>,
): Promise<void> {
  const before = named(original);
  const after = named(body);
  if (after.length === before.length && after.every((group) => before.includes(group))) return;
  const places = placesIn(after, { port_id, project_id: String(original['project_id']) });
  await Promise.all([
    tx.unsafe(
      'delete from port_security_groups where port_id = $1::uuid and security_group_id <> all($2::uuid[])',
      [port_id, after as never],
      { prepare: true },
    ),
    join(tx, context, places),
  ]);
}

/** Something in the way: a group that is not to be found, or a port with groups of both kinds. */
interface Obstacle {
  readonly project_id: string;
  readonly group_id: string | null;
  readonly mixed: boolean;
}

/** Puts ports into groups; answers the projects that lack the default group that a port of theirs is to be in. */
async function joinGroups(tx: Transaction, context: Context, places: readonly Place[]): Promise<readonly string[]> {
  if (places.length === 0) return [];
  const groups = places.flatMap(({ group_id }) => (group_id === null ? [] : [group_id]));
  const [, obstacles] = await Promise.all([
    keepInPlace(tx, 'security_groups', groups),
    groups.length === 0 ? joinDefaults(tx, places) : joinNamed(tx, context, places),
  ]);
  const missing = obstacles.filter(({ group_id, mixed }) => group_id !== null && !mixed);
  if (missing.length > 0) throw new SecurityGroupNotFound(missing.map(({ group_id }) => group_id).join(', '));
  if (obstacles.some(({ mixed }) => mixed)) {
    throw new SecurityGroupConflict('a port cannot be in stateful and in stateless security groups at the same time');
  }
  return [...new Set(obstacles.map(({ project_id }) => project_id))];
}

// The limits keep the planner from joining whole tables: of records in JSON it expects a hundred.
const JOIN_DEFAULTS = `
  with w as (select * from json_to_recordset($1::json) as w (port_id uuid, project_id text)),
  found as (
    select w.port_id, w.project_id, g.id from w left join lateral (
      select g.id from security_groups g where g.project_id = w.project_id and g.is_default limit 1) g on true),
  joined as (
    insert into port_security_groups (port_id, security_group_id)
    select port_id, id from found where id is not null on conflict do nothing)
  select project_id, null::uuid as group_id, false as mixed from found where id is null`;

async function joinDefaults(tx: Transaction, places: readonly Place[]): Promise<readonly Obstacle[]> {
  return await tx.unsafe<Obstacle[]>(JOIN_DEFAULTS, [places as never], { prepare: true });
}

/**
 * A group must be visible to the caller and, unless that is an administrator, to the project of the port. Ports that are to
 * be in default groups may be among these.
 */
async function joinNamed(tx: Transaction, context: Context, places: readonly Place[]): Promise<readonly Obstacle[]> {
  const parameters = new Parameters();
  const wanted = parameters.add(places, 'json');
  const seen = groupScope(context)(parameters) ?? 'true';
  const usable = context.is_admin
    ? 'true'
    : `(g.project_id = w.project_id or g.id = any(${sharedWith('security_group_rbacs', 'w.project_id')}))`;
  const text = `
    with w as (select * from json_to_recordset(${wanted}) as w (port_id uuid, project_id text, group_id uuid)),
    found as (
      select w.port_id, w.project_id, w.group_id, g.id, g.stateful from w left join lateral (
        select g.id, g.stateful from security_groups g where g.id = w.group_id and ${seen} and ${usable} limit 1) g on true
      where w.group_id is not null
      union all
      select w.port_id, w.project_id, null, g.id, g.stateful from w left join lateral (
        select g.id, g.stateful from security_groups g where g.project_id = w.project_id and g.is_default limit 1) g on true
      where w.group_id is null),
    joined as (
      insert into port_security_groups (port_id, security_group_id)
      select port_id, id from found where id is not null on conflict do nothing)
    select project_id, group_id, false as mixed from found where id is null
    union all
    select min(project_id), null, true from found group by port_id having bool_and(stateful) <> bool_or(stateful)`;
  return await tx.unsafe<Obstacle[]>(text, parameters.values as never[], { prepare: true });
}
