/**
 * What an update of a pool changes, checked under its lock. Prefixes may only become more here, and a pool in an address scope
 * of somebody else's is changed by nobody but administrators.
 */
import { reviseRow } from '#src/db/mod.ts';
import { NetworkAddressScopeAffinityError } from '#src/ipam/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import type { IpVersion } from '#src/lib/net/mod.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { IllegalSubnetPoolUpdate } from './errors.ts';
import { checkLengths, grownPrefixes, readCidrs } from './rules.ts';
import { checkScopes } from './scopes.ts';
import { lockScopes, replacePrefixes, SUBNETPOOL_COLUMNS, sharesNetworks } from './store.ts';

const PLAIN = ['name', 'description', 'default_quota', 'is_default', 'address_scope_id'] as const;
const LENGTHS = ['min_prefixlen', 'max_prefixlen', 'default_prefixlen'] as const;

/** Changes a pool as the body says; whether there was anything to change. */
export type PoolChanger = (tx: Transaction, context: Context, original: Resource, body: Resource) => Promise<boolean>;

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text) => b.includes(text));

/** The values of these names that the body has and that are others now. */
function changes(names: readonly string[], original: Resource, body: Resource): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => body[name] !== undefined && body[name] !== original[name]).map((name) => [name, body[name]]),
  );
}

export function poolChanger(
  refuseSecondDefault: (tx: Transaction, version: IpVersion, id: string) => Promise<void>,
): PoolChanger {
  return async (tx, context, original, body) => {
    const id = String(original['id']);
    const version = original['ip_version'] as IpVersion;
    const current = original['prefixes'] as readonly string[];
    const named = body['prefixes'] as readonly string[] | undefined;
    const prefixes = named === undefined ? current : grownPrefixes(version, current, readCidrs(named));
    // They read as text.
    const lengths = Object.fromEntries(LENGTHS.map((name) => [name, Number(original[name])]));
    const newLengths = changes(LENGTHS, lengths, body);
    checkLengths(version, { ...lengths, ...newLengths } as unknown as Parameters<typeof checkLengths>[1]);
    const values = { ...changes(PLAIN, original, body), ...newLengths };
    if (values['is_default'] === true) await refuseSecondDefault(tx, version, id);

    const before = original['address_scope_id'] as string | null;
    const after = (values['address_scope_id'] === undefined ? before : values['address_scope_id']) as string | null;
    const scopes = await lockScopes(
      tx,
      context,
      [...new Set([before, after])].filter((scope) => scope !== null),
    );
    if (before !== null && !context.is_admin && scopes.get(before)?.project_id !== context.project_id) {
      throw new IllegalSubnetPoolUpdate(`the pool is in address scope ${before}, which is shared by another project`);
    }
    const grows = !sameTexts(prefixes, current);
    if (before !== after || grows) {
      checkScopes([{ id, ip_version: version, prefixes, address_scope_id: after }], scopes);
    }
    if (before !== after && (await sharesNetworks(tx, id, version))) throw new NetworkAddressScopeAffinityError();

    if (Object.keys(values).length === 0 && !grows) return false;
    if (grows) await replacePrefixes(tx, id, prefixes);
    await reviseRow(tx, 'subnetpools', id, SUBNETPOOL_COLUMNS, values);
    return true;
  };
}
