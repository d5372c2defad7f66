/**
 * What an empty database needs before anybody can log in: the Default domain, the roles and what they imply, the administrator
 * with a project and the system, and a catalogue of this server. Run by several processes at once or again after a crash, it
 * does each thing once and changes nothing that an operator changed since.
 */
import type { Database, Transaction } from '#src/lib/database.ts';
import type { Logger } from '#src/lib/log.ts';
import { base64url, newHexId, randomBytes } from './bytes.ts';
import { DEFAULT_IMPLICATIONS, DEFAULT_ROLES } from './default_roles.ts';
import { LOCKS } from './locks.ts';
import type { Passwords } from './passwords.ts';

/** The administrator's account after a bootstrap. */
export interface AdminAccount {
  readonly userId: string;
  readonly username: string;
  readonly projectName: string;
  /** Whether this call made the account: the password given is its password. */
  readonly created: boolean;
}

export interface BootstrapServices {
  readonly db: Database;
  readonly passwords: Passwords;
  readonly log: Logger;
  readonly adminUsername: string;
  readonly adminProject: string;
  readonly region: string;
}

/** A password that nobody guesses and everybody can quote in a shell. */
export function generatePassword(): string {
  return base64url(randomBytes(18));
}

const DOMAIN = 'default';
const INTERFACES = ['public', 'internal', 'admin'] as const;
/** `$(public_endpoint)s` is put in when the catalogue is given out, so a changed port needs no change here. */
const SERVICES = [
  { type: 'network', name: 'neutron', url: '$(public_endpoint)s' },
  { type: 'identity', name: 'keystone', url: '$(public_endpoint)s/identity' },
] as const;

/** Makes what is missing. The password counts only if the administrator does not exist yet. */
export async function bootstrap(services: BootstrapServices, password: string): Promise<AdminAccount> {
  const { db, passwords, log, adminUsername, adminProject } = services;
  const find = async (sql: Database['sql'] | Transaction): Promise<string | undefined> => {
    const [user] = await sql<{ id: string }[]>`
      select id from identity_users where domain_id = ${DOMAIN} and name = ${adminUsername}`;
    return user?.id;
  };
  // The hash is slow: neither while holding the lock, nor at each of the later starts.
  const hash = (await find(db.sql)) === undefined ? await passwords.hash(password) : null;
  return db.transaction({ label: 'identity_bootstrap' }, async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCKS.bootstrap})`;
    await makeDomainAndRoles(tx);
    await makeCatalogue(tx, services.region);
    const existing = await find(tx);
    if (existing !== undefined || hash === null) {
      if (existing === undefined)
        throw new Error(`the user ${adminUsername} was deleted while the server was starting`);
      return { userId: existing, username: adminUsername, projectName: adminProject, created: false };
    }
    const userId = newHexId();
    await tx`
      insert into identity_projects (id, name, domain_id, parent_id, description)
      values (${newHexId()}, ${adminProject}, ${DOMAIN}, ${DOMAIN}, 'The administrator''s project')
      on conflict do nothing`;
    await tx`
      insert into identity_users (id, name, domain_id, password_hash, default_project_id)
      select ${userId}, ${adminUsername}, ${DOMAIN}, ${hash}, id from identity_projects
      where domain_id = ${DOMAIN} and name = ${adminProject}`;
    await tx`
      insert into identity_assignments (user_id, target_id, role_id)
      select ${userId}, target.id, role.id
      from identity_roles role, (
        select id from identity_projects where domain_id = ${DOMAIN} and name = ${adminProject}
        union all select null) target
      where role.name = 'admin' and role.domain_id is null`;
    log.info('made the administrator', { username: adminUsername, project: adminProject });
    return { userId, username: adminUsername, projectName: adminProject, created: true };
  });
}

async function makeDomainAndRoles(tx: Transaction): Promise<void> {
  const [domain] = await tx`
    insert into identity_projects (id, name, is_domain, description)
    values (${DOMAIN}, 'Default', true, 'The default domain') on conflict do nothing returning id`;
  // Roles that an operator deleted later stay deleted: they are made with the domain.
  if (domain === undefined) return;
  for (const name of DEFAULT_ROLES) {
    await tx`
      insert into identity_roles (id, name, options) values (${newHexId()}, ${name}, '{"immutable": true}')
      on conflict do nothing`;
  }
  for (const [prior, implied] of Object.entries(DEFAULT_IMPLICATIONS)) {
    await tx`
      insert into identity_role_implications (prior_role_id, implied_role_id)
      select p.id, i.id from identity_roles p, identity_roles i
      where p.name = ${prior} and i.name = any(${[...implied]}::text[]) and p.domain_id is null and i.domain_id is null
      on conflict do nothing`;
  }
}

async function makeCatalogue(tx: Transaction, region: string): Promise<void> {
  await tx`insert into identity_regions (id) values (${region}) on conflict do nothing`;
  for (const { type, name, url } of SERVICES) {
    const [known] = await tx`select from identity_services where type = ${type}`;
    if (known !== undefined) continue;
    const serviceId = newHexId();
    await tx`
      insert into identity_services (id, type, extra) values (${serviceId}, ${type}, ${tx.json({ name })})`;
    for (const face of INTERFACES) {
      await tx`
        insert into identity_endpoints (id, service_id, region_id, interface, url)
        values (${newHexId()}, ${serviceId}, ${region}, ${face}, ${url})`;
    }
  }
}
