/** What the tests of subnet pools share. */
import { type Answer, member, type Stack, type Who } from '../support/stack.ts';

export const ALICE = member('alice');
export const BOB = member('bob');
export const POOLS = '/v2.0/subnetpools';
export const SUBNETS = '/v2.0/subnets';

export type Body = Readonly<Record<string, unknown>>;

/** Status and error type of an answer. */
export const refusal = ({ status, body }: Answer) => [status, body?.NeutronError?.type];

/** Requests about pools, by one caller; the stack may start later. */
export const callerOf = (started: () => Stack, as: Who = ALICE) => ({
  pool: (body: Body) => started().create('subnetpool', { name: 'pool', ...body }, as),
  tryPool: (body: Body) => started().call('POST', POOLS, { as, body: { subnetpool: { name: 'pool', ...body } } }),
  changePool: (id: string, subnetpool: Body) => started().call('PUT', `${POOLS}/${id}`, { as, body: { subnetpool } }),
  act: (id: string, action: string, body: unknown) => started().call('PUT', `${POOLS}/${id}/${action}`, { as, body }),
  showPool: async (id: string) => (await started().call('GET', `${POOLS}/${id}`, { as })).body.subnetpool,
  scope: (body: Body = {}) => started().create('address_scope', { ip_version: 4, ...body }, as),
  network: (body: Body = {}) => started().create('network', body, as),
  subnet: (network: { readonly id: string }, body: Body) =>
    started().create('subnet', { network_id: network.id, ip_version: 4, ...body }, as),
  trySubnet: (network: { readonly id: string }, body: Body) =>
    started().call('POST', SUBNETS, { as, body: { subnet: { network_id: network.id, ip_version: 4, ...body } } }),
});
