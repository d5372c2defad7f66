/** What the benchmarks of the API take, and the server that they are run against: a given one, or one of their own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Nucleon, startNucleon } from '../../test/support/nucleon.ts';
import { type Client, createClient } from './client.ts';

export interface Bench {
  readonly client: Client;
  /** A client of somebody else. */
  as(headers: Readonly<Record<string, string>>): Client;
  /** Of the supervisor, for its CPU time. */
  readonly pid: number | undefined;
  /** The database below the server, where bare PostgreSQL is measured; undefined: not told. */
  readonly postgres: string | undefined;
  readonly only: RegExp;
  readonly clients: readonly number[];
  readonly seconds: number;
  stop(): Promise<void>;
}

/** Nobody is limited, and the API has the whole machine. */
const SERVER = {
  OS_DEFAULT__AUTH_STRATEGY: 'noauth',
  ...Object.fromEntries(
    ['NETWORK', 'SUBNET', 'PORT', 'SECURITY_GROUP', 'SECURITY_GROUP_RULE', 'ROUTER', 'FLOATINGIP'].map((name) => [
      `OS_QUOTAS__QUOTA_${name}`,
      '-1',
    ]),
  ),
};

async function embeddedPostgres({ stateDir }: Nucleon): Promise<string> {
  const ports = JSON.parse(await readFile(join(stateDir, 'ports.json'), 'utf8'));
  const password = (await readFile(join(stateDir, 'postgres', 'password'), 'utf8')).trim();
  return `postgresql://nucleon:${password}@127.0.0.1:${ports.postgres_port}/nucleon`;
}

/**
 * `--url` of a server that runs (with `--pid` and `--postgres`, if its CPU time and bare PostgreSQL are to be told), or none to start
 * one; `--header 'Name: value'`, `--only REGEX`, `--clients 1,8`, `--seconds 5`, and options that are read elsewhere (`more`).
 */
export async function openBench(more: Readonly<Record<string, { readonly type: 'string' }>> = {}): Promise<Bench> {
  const { values } = parseArgs({
    options: {
      ...more,
      url: { type: 'string' },
      pid: { type: 'string' },
      postgres: { type: 'string' },
      header: { type: 'string', multiple: true },
      only: { type: 'string', default: '' },
      clients: { type: 'string', default: '1,8' },
      seconds: { type: 'string', default: '5' },
    },
  });
  const own = values.url === undefined ? await startNucleon({ env: SERVER }) : undefined;
  const given = (values.header ?? []).map((header): [string, string] => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
  });
  const admin = { 'X-User-Id': 'bench', 'X-Project-Id': 'bench', 'X-Roles': 'admin' };
  const url = own?.url ?? values.url!;
  const client = createClient(url, given.length > 0 ? Object.fromEntries(given) : admin);
  const pid = own?.pid ?? values.pid;
  return {
    client,
    as: (headers) => createClient(url, headers),
    pid: pid === undefined ? undefined : Number(pid),
    postgres: own === undefined ? values.postgres : await embeddedPostgres(own),
    only: new RegExp(values.only),
    clients: values.clients.split(',').map(Number),
    seconds: Number(values.seconds),
    async stop() {
      client.close();
      await own?.stop();
    },
  };
}
