/** Domains: projects that hold users, groups and other projects. */
import { newHexId } from '../bytes.ts';
import { Forbidden } from '../errors.ts';
import { domains, type ProjectRow, textOrEmpty } from './entities.ts';
import {
  assertMutable,
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
import { type Call, NO_CONTENT, type Route } from './route.ts';

async function target(call: Call): Promise<ProjectRow> {
  const row = await findRow(call.services.db.sql, domains, call.param('domain'));
  call.enforce({ domain_ids: row === undefined ? [] : [row.id] });
  return existing(row, domains, call.param('domain'));
}

export const domainRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/domains',
    action: 'list_domains',
    async handler(call) {
      call.enforce();
      return listReply(call, domains, await listRows(call.services.db.sql, domains, call.query));
    },
  },
  {
    method: 'POST',
    path: '/domains',
    action: 'create_domain',
    async handler(call) {
      call.enforce();
      const { known, extra } = await givenBody(call, domains, 'create');
      const row = await call.services.db.transaction({ label: 'identity_create_domain' }, (tx) =>
        insertRow(tx, domains, { ...textOrEmpty(known), extra, id: newHexId(), is_domain: true }),
      );
      return oneReply(call, domains, row, 201);
    },
  },
  {
    method: 'GET',
    path: '/domains/:domain',
    action: 'get_domain',
    handler: async (call) => oneReply(call, domains, await target(call)),
  },
  {
    method: 'PATCH',
    path: '/domains/:domain',
    action: 'update_domain',
    async handler(call) {
      const before = await target(call);
      const given = await givenBody(call, domains, 'update');
      assertMutable(domains, before, given);
      const { db, revocations } = call.services;
      const row = await db.transaction({ label: 'identity_update_domain' }, async (tx) => {
        if (given.known['enabled'] === false) await revocations.revoke(tx, [`domain:${before.id}`]);
        return updateRow(tx, domains, before, { ...given, known: textOrEmpty(given.known) });
      });
      return oneReply(call, domains, row);
    },
  },
  {
    method: 'DELETE',
    path: '/domains/:domain',
    action: 'delete_domain',
    async handler(call) {
      const domain = await target(call);
      assertMutable(domains, domain);
      const { db, revocations } = call.services;
      await db.transaction({ label: 'identity_delete_domain' }, async (tx) => {
        await revocations.revoke(tx, [`domain:${domain.id}`]);
        const [row] = await tx<{ enabled: boolean }[]>`
          select enabled from identity_projects where id = ${domain.id} for update`;
        if (row?.enabled === true) {
          throw new Forbidden('Cannot delete a domain that is enabled, please disable it first.');
        }
        // All at once: parents and children among them go together.
        await tx`delete from identity_projects where domain_id = ${domain.id}`;
        await deleteRow(tx, domains, domain.id);
      });
      return NO_CONTENT;
    },
  },
];
