/** `GET /role_assignments`: who has which role where, as granted, or (`effective`) as it comes out for each user. */
import { isPreparable, Parameters } from '#src/db/mod.ts';
import { ValidationError } from '../errors.ts';
import { narrowedToDomain } from './access.ts';
import { collectionReply, flag } from './entity.ts';
import type { Call, Reply, Route } from './route.ts';

interface AssignmentRow {
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly group_id: string | null;
  readonly group_name: string | null;
  readonly actor_domain_id: string;
  readonly actor_domain_name: string;
  readonly target_id: string | null;
  readonly target_name: string | null;
  readonly target_is_domain: boolean | null;
  readonly target_domain_id: string | null;
  readonly target_domain_name: string | null;
  readonly role_id: string;
  readonly role_name: string;
  readonly role_domain_id: string | null;
  readonly role_domain_name: string | null;
  readonly inherited: boolean;
}

/** Grants as they are. */
const GRANTED = 'granted as (select * from identity_assignments)';

/** Groups taken apart into users, inheritance spread over projects, implications followed. */
const EFFECTIVE = `
  below as (
    select parent_id as above, id from identity_projects where parent_id is not null
    union select b.above, p.id from below b join identity_projects p on p.parent_id = b.id
  ), personal as (
    select coalesce(a.user_id, m.user_id) as user_id, a.target_id, a.role_id, a.inherited
    from identity_assignments a left join identity_group_members m on m.group_id = a.group_id
    where a.user_id is not null or m.user_id is not null
  ), spread as (
    select user_id, target_id, role_id from personal where not inherited
    union select p.user_id, b.id, p.role_id from personal p join below b on p.inherited and b.above = p.target_id
  ), implied as (
    select * from spread
    union select x.user_id, x.target_id, i.implied_role_id
    from implied x join identity_role_implications i on i.prior_role_id = x.role_id
  ), granted as (
    select x.user_id, null::varchar as group_id, x.target_id, x.role_id, false as inherited
    from implied x join identity_roles r on r.id = x.role_id and r.domain_id is null
  )`;

const NAMED = `
  select g.*, u.name as user_name, gr.name as group_name, r.name as role_name, r.domain_id as role_domain_id,
    rd.name as role_domain_name, ad.id as actor_domain_id, ad.name as actor_domain_name, t.name as target_name,
    t.is_domain as target_is_domain, td.id as target_domain_id, td.name as target_domain_name
  from granted g
  join identity_roles r on r.id = g.role_id
  left join identity_projects rd on rd.id = r.domain_id
  left join identity_users u on u.id = g.user_id
  left join identity_groups gr on gr.id = g.group_id
  join identity_projects ad on ad.id = coalesce(u.domain_id, gr.domain_id)
  left join identity_projects t on t.id = g.target_id
  left join identity_projects td on td.id = coalesce(t.domain_id, t.id)`;

const equals = (column: string) => (value: string, parameters: Parameters) => `${column} = ${parameters.add(value)}`;

const FILTERS: Readonly<Record<string, (value: string, parameters: Parameters) => string>> = {
  'user.id': equals('g.user_id'),
  'group.id': equals('g.group_id'),
  'role.id': equals('g.role_id'),
  'scope.domain.id': (value, parameters) => `t.is_domain and t.id = ${parameters.add(value)}`,
  'scope.system': () => 'g.target_id is null',
  'scope.OS-INHERIT:inherited_to': () => 'g.inherited',
};

function conditionsOf(call: Call, parameters: Parameters): readonly string[] {
  const conditions = [...call.query].flatMap(([name, value]) => {
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    return filter === undefined ? [] : [filter(value, parameters)];
  });
  const project = call.query.get('scope.project.id');
  if (project !== null) {
    const id = parameters.add(project);
    conditions.push(
      flag(call.query, 'include_subtree')
        ? `g.target_id in (with recursive tree as (select ${id}::varchar as id
            union select p.id from identity_projects p join tree on p.parent_id = tree.id) select id from tree)`
        : `g.target_id = ${id}`,
    );
  }
  const domain = narrowedToDomain(call.caller);
  if (domain !== undefined) conditions.push(`td.id = ${parameters.add(domain)}`);
  return conditions;
}

async function list(call: Call): Promise<Reply> {
  const { query } = call;
  const effective = flag(query, 'effective');
  if (effective && query.has('group.id')) {
    throw new ValidationError('Combining effective and group filter will always result in an empty list.');
  }
  if (flag(query, 'include_subtree') && !query.has('scope.project.id')) {
    throw new ValidationError('scope.project.id must be specified if include_subtree is also specified.');
  }
  const domain = narrowedToDomain(call.caller);
  call.enforce({ domain_ids: domain === undefined ? [] : [domain] });
  const parameters = new Parameters();
  const conditions = conditionsOf(call, parameters);
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const text = `with recursive ${effective ? EFFECTIVE : GRANTED} ${NAMED}${where}
    order by g.target_id, g.user_id, g.group_id, r.name`;
  const rows = await call.services.db.sql.unsafe<AssignmentRow[]>(text, parameters.values as never[], {
    prepare: isPreparable(FILTERS, text),
  });
  const named = flag(query, 'include_names');
  return collectionReply(
    call,
    'role_assignments',
    rows.map((row) => view(call, row, named)),
  );
}

/** An id, with the name and the domain where names were asked for. */
function reference(named: boolean, id: string, name: string | null, domain: readonly [string | null, string | null]) {
  if (!named) return { id };
  const [domainId, domainName] = domain;
  return { id, name, ...(domainId === null ? {} : { domain: { id: domainId, name: domainName } }) };
}

function view(call: Call, row: AssignmentRow, named: boolean): unknown {
  const actorDomain = [row.actor_domain_id, row.actor_domain_name] as const;
  const actor =
    row.user_id === null
      ? { group: reference(named, row.group_id ?? '', row.group_name, actorDomain) }
      : { user: reference(named, row.user_id, row.user_name, actorDomain) };
  return {
    links: { assignment: `${call.base}${pathOf(row)}` },
    scope: { ...scopeOf(row, named), ...(row.inherited ? { 'OS-INHERIT:inherited_to': 'projects' } : {}) },
    ...actor,
    role: reference(named, row.role_id, row.role_name, [row.role_domain_id, row.role_domain_name]),
  };
}

function scopeOf(row: AssignmentRow, named: boolean): Readonly<Record<string, unknown>> {
  if (row.target_id === null) return { system: { all: true } };
  return row.target_is_domain === true
    ? { domain: reference(named, row.target_id, row.target_name, [null, null]) }
    : { project: reference(named, row.target_id, row.target_name, [row.target_domain_id, row.target_domain_name]) };
}

function pathOf(row: AssignmentRow): string {
  const target =
    row.target_id === null ? '/system' : `/${row.target_is_domain ? 'domains' : 'projects'}/${row.target_id}`;
  const actor = row.user_id === null ? `/groups/${row.group_id}` : `/users/${row.user_id}`;
  return row.inherited
    ? `/OS-INHERIT${target}${actor}/roles/${row.role_id}/inherited_to_projects`
    : `${target}${actor}/roles/${row.role_id}`;
}

export const assignmentRoutes: readonly Route[] = [
  { method: 'GET', path: '/role_assignments', action: 'list_role_assignments', handler: list },
];
