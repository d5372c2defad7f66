/**
 * The verbs of flavors, of service profiles and of which profiles a flavor has (neutron.db.flavors_db). A profile stays as it is
 * while a flavor has it, a flavor while something is of it: foreign keys see to both.
 */
import { insertRows, listRows, lockRow, showRow, sqlState, type TableSql, violatedConstraint } from '#src/db/mod.ts';
import type { Transaction } from '#src/lib/database.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { Call, PluginHost, Resource, Verb } from '#src/lib/plugin.ts';
import {
  FlavorInUse,
  FlavorNotFound,
  FlavorServiceProfileBindingExists,
  FlavorServiceProfileBindingNotFound,
  ServiceProfileDriverNotFound,
  ServiceProfileEmpty,
  ServiceProfileInUse,
  ServiceProfileNotFound,
} from './errors.ts';
import type { ServiceProvider } from './providers.ts';
import {
  BOUND_ONCE,
  bind,
  changeRow,
  deleteRow,
  FLAVOR_COLUMNS,
  FLAVORS,
  isBound,
  isBoundProfile,
  PROFILE_COLUMNS,
  PROFILES,
  unbind,
} from './store.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const FLAVOR_CHANGES = ['name', 'description', 'enabled'] as const;
const PROFILE_CHANGES = ['description', 'driver', 'metainfo', 'enabled'] as const;
const EVERYTHING = { filters: [], sorts: [], reverse: false };

type Host = Pick<PluginHost, 'db'>;

export function flavorVerbs({ db }: Host, providers: readonly ServiceProvider[]): Readonly<Record<string, Verb>> {
  const shown = async (table: TableSql, { id = '', fields }: Call, tx?: Transaction): Promise<Resource> => {
    const found = await showRow(tx ?? db.sql, table, id, fields);
    if (found === undefined) throw table.notFound(id);
    return found;
  };

  const locked = async (tx: Transaction, table: 'flavors' | 'service_profiles', sql: TableSql, id: string) => {
    if (!isUuid(id)) throw sql.notFound(id);
    const [, found] = await Promise.all([lockRow(tx, table, id, 'update'), shown(sql, { id, parents: {} }, tx)]);
    return found;
  };

  const checkDriver = (driver: unknown): void => {
    if (typeof driver !== 'string' || driver === '') return;
    if (!providers.some((one) => one.driver === driver)) throw new ServiceProfileDriverNotFound(driver);
  };

  /** A profile that no flavor has, locked. */
  const unused = async (tx: Transaction, id: string): Promise<void> => {
    await locked(tx, 'service_profiles', PROFILES, id);
    if (await isBoundProfile(tx, id)) throw new ServiceProfileInUse(id);
  };

  const flavors: Readonly<Record<string, Verb>> = {
    async create_flavor(_context, { body = {} }) {
      const { name = '', description = '', service_type } = body;
      const row = { id: newId(), name, description, service_type, enabled: body['enabled'] ?? true };
      await db.transaction({ label: 'create_flavor' }, (tx) => insertRows(tx, 'flavors', FLAVOR_COLUMNS, [row]));
      return { ...row, service_profiles: [] };
    },
    get_flavor: (_context, call) => shown(FLAVORS, call),
    get_flavors: (_context, { query = EVERYTHING }) => listRows(db.sql, FLAVORS, query),
    update_flavor: (_context, { id = '', body = {} }) =>
      db.transaction({ label: 'update_flavor' }, async (tx) => {
        await locked(tx, 'flavors', FLAVORS, id);
        await changeRow(tx, 'flavors', id, pick(body, FLAVOR_CHANGES));
        return await shown(FLAVORS, { id, parents: {} }, tx);
      }),
    delete_flavor: (_context, { id = '' }) =>
      db.transaction({ label: 'delete_flavor' }, async (tx) => {
        const gone = isUuid(id) && (await deleteRow(tx, 'flavors', id).catch(refused(new FlavorInUse(id))));
        if (!gone) throw new FlavorNotFound(id);
      }),
  };

  const profiles: Readonly<Record<string, Verb>> = {
    async create_service_profile(_context, { body = {} }) {
      const { description = '', driver = '', metainfo = '' } = body;
      checkDriver(driver);
      if (driver === '' && (metainfo === '' || metainfo === null)) throw new ServiceProfileEmpty();
      const row = { id: newId(), description, driver, metainfo, enabled: body['enabled'] ?? true };
      await db.transaction({ label: 'create_service_profile' }, (tx) =>
        insertRows(tx, 'service_profiles', PROFILE_COLUMNS, [row]),
      );
      return row;
    },
    get_service_profile: (_context, call) => shown(PROFILES, call),
    get_service_profiles: (_context, { query = EVERYTHING }) => listRows(db.sql, PROFILES, query),
    async update_service_profile(_context, { id = '', body = {} }) {
      checkDriver(body['driver']);
      return await db.transaction({ label: 'update_service_profile' }, async (tx) => {
        await unused(tx, id);
        await changeRow(tx, 'service_profiles', id, pick(body, PROFILE_CHANGES));
        return await shown(PROFILES, { id, parents: {} }, tx);
      });
    },
    delete_service_profile: (_context, { id = '' }) =>
      db.transaction({ label: 'delete_service_profile' }, async (tx) => {
        await unused(tx, id);
        await deleteRow(tx, 'service_profiles', id);
      }),
  };

  const bindings: Readonly<Record<string, Verb>> = {
    create_flavor_service_profile: (_context, { parents, body = {} }) =>
      db.transaction({ label: 'create_flavor_service_profile' }, async (tx) => {
        const [flavor, profile] = [String(parents['flavor']), String(body['id'])];
        await locked(tx, 'flavors', FLAVORS, flavor);
        try {
          await bind(tx, flavor, profile);
        } catch (error) {
          if (violatedConstraint(error) === BOUND_ONCE) throw new FlavorServiceProfileBindingExists(profile, flavor);
          return refused(new ServiceProfileNotFound(profile))(error);
        }
        return { id: profile };
      }),
    async get_flavor_service_profile(_context, { parents, id = '' }) {
      const flavor = String(parents['flavor']);
      if (!(await isBound(db.sql, flavor, id))) throw new FlavorServiceProfileBindingNotFound(id, flavor);
      return { id };
    },
    delete_flavor_service_profile: (_context, { parents, id = '' }) =>
      db.transaction({ label: 'delete_flavor_service_profile' }, async (tx) => {
        const flavor = String(parents['flavor']);
        if (!(await unbind(tx, flavor, id))) throw new FlavorServiceProfileBindingNotFound(id, flavor);
      }),
  };

  return { ...flavors, ...profiles, ...bindings };
}

/** Null is no value of columns that have a default. */
const pick = (body: Resource, names: readonly string[]): Resource =>
  Object.fromEntries(
    names
      .filter((name) => body[name] !== undefined && !(name === 'enabled' && body[name] === null))
      .map((name) => [name, body[name]]),
  );

/** Throws the refusal where a foreign key is why the statement failed. */
const refused =
  (refusal: Error) =>
  (error: unknown): never => {
    throw sqlState(error) === FOREIGN_KEY_VIOLATION ? refusal : error;
  };
