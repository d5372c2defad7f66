/**
 * What other plugins use of security groups: SQL of whom a group concerns. And what travels between them and the layer 2 agents
 * that apply them (neutron.api.rpc.handlers.securitygroups_rpc).
 */
import * as v from 'valibot';
import { type MessageTopic, remoteMethod } from '#src/rpc/contract.ts';

/**
 * The hosts (`host`) with ports in a group: an index entry for each port of the group, whatever the planner thinks of the size of
 * groups, which differs too much for it to be right. Left alone it reads all bindings that there are.
 */
export const hostsInGroup = (group: string): string => `
  select distinct b.host from port_security_groups m cross join lateral (
    select h.host from port_bindings h where h.port_id = m.port_id and h.host <> '' offset 0) b
  where m.security_group_id = ${group}`;

/** Whether an agent of a host follows objects of a type: it says so in its resource versions. */
export const follows = (host: string, type: string): string =>
  `exists (select 1 from agents a where a.host = ${host} and a.resource_versions ->> '${type}' is not null)`;

const RULE = v.looseObject({
  direction: v.picklist(['ingress', 'egress']),
  ethertype: v.picklist(['IPv4', 'IPv6']),
  remote_group_id: v.optional(v.string()),
});
export type AppliedRule = v.InferOutput<typeof RULE>;

/**
 * The groups of devices and their rules, with the members of remote groups; with `paged` the larger groups come without, in
 * `large_groups`.
 */
export const securityGroupInfoForDevices = remoteMethod<{
  readonly devices: readonly string[];
  readonly call_version: string;
  readonly paged: boolean;
}>()({
  topic: 'q-plugin',
  method: 'security_group_info_for_devices',
  version: '1.2',
  result: v.looseObject({
    devices: v.record(v.string(), v.looseObject({ security_groups: v.array(v.string()) })),
    security_groups: v.record(v.string(), v.array(RULE)),
    sg_member_ips: v.record(v.string(), v.unknown()),
  }),
});

const GROUPS = v.looseObject({ security_groups: v.array(v.string()) });

/** What layer 2 agents are told. */
export const SECURITY_GROUP_UPDATES = {
  topic: 'q-agent-notifier-security_group-update',
  messages: { security_groups_rule_updated: GROUPS, security_groups_member_updated: GROUPS },
} as const satisfies MessageTopic;
