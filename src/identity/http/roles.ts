/** Roles and what they imply. */
import type { Transaction } from '#src/lib/database.ts';
import { newHexId } from '../bytes.ts';
import { Forbidden, NotFound } from '../errors.ts';
import { impliedBy } from '../grants.ts';
import { type RoleRow, roles, textOrEmpty } from './entities.ts';
import {
  assertMutable,
  type Condition,
  deleteRow,
  existing,
  findRow,
  givenBody,
  insertRow,
  listReply,
  listRows,
  oneReply,
  updateRow,
} from './entity.ts';
import { type Call, NO_CONTENT, type Reply, type Route } from './route.ts';

async function target(call: Call, name = 'role'): Promise<RoleRow> {
  call.enforce();
  return existing(await findRow(call.services.db.sql, roles, call.param(name)), roles, call.param(name));
}

/** A role as it stands in an implication. */
const brief = (call: Call, { id, name }: Pick<RoleRow, 'id' | 'name'>) => ({
  id,
  name,
  links: { self: `${call.base}/roles/${id}` },
});

async function impliedRoles(call: Call, priorId: string): Promise<readonly RoleRow[]> {
  return listRows(call.services.db.sql, roles, new URLSearchParams(), [
    (parameters) =>
      `id in (select implied_role_id from identity_role_implications where prior_role_id = ${parameters.add(priorId)})`,
  ]);
}

const implicationReply = (call: Call, prior: RoleRow, implied: RoleRow, status: number): Reply => ({
  status,
  body: {
    role_inference: { prior_role: brief(call, prior), implies: brief(call, implied) },
    links: { self: `${call.base}/roles/${prior.id}/implies/${implied.id}` },
  },
});

/** The path's implication, which must exist. */
async function targetImplication(call: Call): Promise<{ readonly prior: RoleRow; readonly implied: RoleRow }> {
  const prior = await target(call, 'prior');
  const implied = await target(call, 'implied');
  const all = await impliedRoles(call, prior.id);
  if (!all.some(({ id }) => id === implied.id)) throw new NotFound('implied role', `${prior.id} to ${implied.id}`);
  return { prior, implied };
}

async function imply(tx: Transaction, prior: RoleRow, implied: RoleRow): Promise<void> {
  if ((await impliedBy(tx, [implied.id])).includes(prior.id)) {
    throw new Forbidden(`${implied.id} cannot be an implied role of ${prior.id}: it implies that one itself.`);
  }
  await tx`
    insert into identity_role_implications (prior_role_id, implied_role_id)
    values (${prior.id}, ${implied.id}) on conflict do nothing`;
}

async function inferences(call: Call): Promise<Reply> {
  call.enforce();
  const rows = await call.services.db.sql<
    { prior_id: string; prior_name: string; implied_id: string; implied_name: string }[]
  >`
    select p.id as prior_id, p.name as prior_name, i.id as implied_id, i.name as implied_name
    from identity_role_implications x
    join identity_roles p on p.id = x.prior_role_id join identity_roles i on i.id = x.implied_role_id
    order by p.id, i.id`;
  const byPrior = Object.values(Object.groupBy(rows, (row) => row.prior_id)).map((implications = []) => ({
    prior_role: brief(call, { id: implications[0]!.prior_id, name: implications[0]!.prior_name }),
    implies: implications.map((row) => brief(call, { id: row.implied_id, name: row.implied_name })),
  }));
  return { status: 200, body: { role_inferences: byPrior, links: { self: `${call.base}/role_inferences` } } };
}

export const roleRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/roles',
    action: 'list_roles',
    async handler(call) {
      call.enforce();
      // Without a domain only the roles of no domain are meant.
      const conditions: Condition[] = call.query.has('domain_id') ? [] : [() => 'domain_id is null'];
      return listReply(call, roles, await listRows(call.services.db.sql, roles, call.query, conditions));
    },
  },
  {
    method: 'POST',
    path: '/roles',
    action: 'create_role',
    async handler(call) {
      call.enforce();
      const { known, extra } = await givenBody(call, roles, 'create');
      const row = await call.services.db.transaction({ label: 'identity_create_role' }, (tx) =>
        insertRow(tx, roles, { ...textOrEmpty(known), extra, id: newHexId() }),
      );
      return oneReply(call, roles, row, 201);
    },
  },
  {
    method: 'GET',
    path: '/roles/:role',
    action: 'get_role',
    handler: async (call) => oneReply(call, roles, await target(call)),
  },
  {
    method: 'PATCH',
    path: '/roles/:role',
    action: 'update_role',
    async handler(call) {
      const before = await target(call);
      const given = await givenBody(call, roles, 'update');
      assertMutable(roles, before, given);
      const { domain_id: _, ...known } = textOrEmpty(given.known);
      const { db, revocations } = call.services;
      const row = await db.transaction({ label: 'identity_update_role' }, async (tx) => {
        // Tokens carry the name, which is what policies ask for.
        if (known['name'] !== undefined) await revocations.revoke(tx, [`role:${before.id}`]);
        return updateRow(tx, roles, before, { ...given, known });
      });
      return oneReply(call, roles, row);
    },
  },
  {
    method: 'DELETE',
    path: '/roles/:role',
    action: 'delete_role',
    async handler(call) {
      const role = await target(call);
      assertMutable(roles, role);
      const { db, revocations } = call.services;
      await db.transaction({ label: 'identity_delete_role' }, async (tx) => {
        await revocations.revoke(tx, [`role:${role.id}`]);
        await deleteRow(tx, roles, role.id);
      });
      return NO_CONTENT;
    },
  },
  {
    method: 'GET',
    path: '/roles/:prior/implies',
    action: 'list_implied_roles',
    async handler(call) {
      const prior = await target(call, 'prior');
      const implies = (await impliedRoles(call, prior.id)).map((role) => brief(call, role));
      return {
        status: 200,
        body: {
          role_inference: { prior_role: brief(call, prior), implies },
          links: { self: `${call.base}/roles/${prior.id}/implies` },
        },
      };
    },
  },
  {
    method: 'PUT',
    path: '/roles/:prior/implies/:implied',
    action: 'create_implied_role',
    async handler(call) {
      const prior = await target(call, 'prior');
      const implied = await target(call, 'implied');
      await call.services.db.transaction({ label: 'identity_imply_role' }, (tx) => imply(tx, prior, implied));
      return implicationReply(call, prior, implied, 201);
    },
  },
  {
    method: 'GET',
    path: '/roles/:prior/implies/:implied',
    action: 'get_implied_role',
    async handler(call) {
      const { prior, implied } = await targetImplication(call);
      return implicationReply(call, prior, implied, 200);
    },
  },
  {
    method: 'DELETE',
    path: '/roles/:prior/implies/:implied',
    action: 'delete_implied_role',
    async handler(call) {
      const { prior, implied } = await targetImplication(call);
      const { db, revocations } = call.services;
      await db.transaction({ label: 'identity_unimply_role' }, async (tx) => {
        await revocations.revoke(tx, [`role:${prior.id}`]);
        await tx`
          delete from identity_role_implications
          where prior_role_id = ${prior.id} and implied_role_id = ${implied.id}`;
      });
      return NO_CONTENT;
    },
  },
  { method: 'GET', path: '/role_inferences', action: 'list_role_inference_rules', handler: inferences },
];
