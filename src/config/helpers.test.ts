import { describe, expect, test } from 'vitest';
import type { OptionValue } from '#src/lib/config.ts';
import { allOptions, authStrategy, configFrom, databaseUrl, workerCounts } from './mod.ts';

describe('workerCounts()', () => {
  test.each<[string, Record<string, OptionValue>, number, [number, number, number]]>([
    ['unset: a worker for each core, half for RPC', {}, 8, [8, 4, 1]],
    ['at least one for RPC', {}, 1, [1, 1, 1]],
    ['half of what is configured', { api_workers: 5 }, 2, [5, 2, 1]],
    ['all as configured', { api_workers: 5, rpc_workers: 3, rpc_state_report_workers: 3 }, 2, [5, 3, 3]],
    ['no API here', { api_workers: 0 }, 8, [0, 4, 1]],
    ['no RPC here', { rpc_workers: 0, rpc_state_report_workers: 0 }, 8, [8, 0, 0]],
  ])('%s', (_, values, cpus, [api, rpc, reports]) => {
    expect(workerCounts(configFrom(allOptions, { DEFAULT: values }), cpus)).toEqual({ api, rpc, reports });
  });
});

describe('databaseUrl()', () => {
  const url = (connection: string | null) => databaseUrl(configFrom(allOptions, { database: { connection } }));
  test.each([
    ['postgresql://u:p@h:5432/n?sslmode=require', 'postgresql://u:p@h:5432/n?sslmode=require'],
    ['postgresql+psycopg2://u:p%40@h/n', 'postgresql://u:p%40@h/n'],
    ['postgres://h/n', 'postgresql://h/n'],
  ])('takes %s', (connection, expected) => expect(url(connection)).toBe(expected));
  test('is null where nothing is set', () => expect([url(null), url('')]).toEqual([null, null]));
  test.each(['mysql+pymysql://u:secret@h/n', 'sqlite:///n.db', 'nonsense'])('refuses %s', (connection) => {
    expect(() => url(connection)).toThrow(/\[database\] connection names .* PostgreSQL/);
    expect(() => url(connection)).not.toThrow(/u:secret/);
  });
});

describe('authStrategy()', () => {
  test.each<[string, Record<string, Record<string, OptionValue>>]>([
    ['embedded', {}],
    ['keystone', { keystone_authtoken: { auth_url: 'http://keystone:5000' } }],
    ['noauth', { DEFAULT: { auth_strategy: 'noauth' } }],
    ['embedded', { DEFAULT: { auth_strategy: 'embedded' }, keystone_authtoken: { auth_url: 'http://keystone:5000' } }],
  ])('is %s with %j', (strategy, groups) => expect(authStrategy(configFrom(allOptions, groups))).toBe(strategy));
});
