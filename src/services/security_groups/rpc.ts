/**
 * What L2 agents ask of security groups (neutron.api.rpc.handlers.securitygroups_rpc.SecurityGroupServerRpcCallback 1.3): the rules
 * of devices on their own host, and who the members of remote groups are.
 *
 * Members may be many. An agent that says `paged` gets those of small groups at once, and the names of the others in
 * `large_groups`, whose members it asks for by `security_group_members` (namespace `nucleon`) in pages.
 */
import * as v from 'valibot';
import type { Json, JsonObject } from '#src/lib/api/attributes.ts';
import type { Sql } from '#src/lib/database.ts';
import type { PluginDirectory, PluginHost } from '#src/lib/plugin.ts';
import type { RpcEndpoint, RpcListener } from '#src/lib/rpc.ts';
import { findBoundPorts } from '#src/plugins/ml2/contract.ts';
import { AIM_BYTES, MAX_BYTES, MessageTooLarge, parseArguments } from '#src/rpc/contract.ts';
import { SecurityGroupNotFound } from './errors.ts';
import { ethertypeOf, networkOf, providerRules } from './provider_rules.ts';
import {
  type AppliedGroup,
  appliedGroups,
  type GroupMembers,
  type Member,
  membersOfAddressGroups,
  membersOfGroups,
  type RuleDict,
  remoteGroupsOfHost,
} from './rpc_store.ts';

/** Ports of a group on a page: unless told otherwise, and at most. */
const PAGE = { usual: 500, most: 1000 };
/** More ports than fit into any message. */
const UNPAGED = 30_000;
/** Rules in the form of old that fit into a message, more or less. */
const MOST_RULES = 10_000;

const DEVICES = v.nullish(v.pipe(v.array(v.pipe(v.string(), v.maxLength(255))), v.maxLength(1000)), (): string[] => []);
const INFO = v.object({
  devices: DEVICES,
  call_version: v.optional(v.pipe(v.string(), v.regex(/^\d{1,4}\.\d{1,4}$/, 'must be major.minor')), '1.2'),
  paged: v.nullish(v.boolean()),
});
const RULES = v.object({ devices: DEVICES });
const ID = v.pipe(v.string(), v.uuid('must be a UUID'), v.toLowerCase());
const MEMBERS = v.object({
  security_group: ID,
  limit: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PAGE.most))),
  marker: v.nullish(ID),
});

/** A port as agents have it, before its rules are put to it. */
interface Device {
  readonly port: JsonObject;
  readonly device: string;
  readonly groups: readonly string[];
  readonly addresses: readonly string[];
}

/** The endpoints that answer. */
export function securityGroupListeners({ db, plugins }: Pick<PluginHost, 'db' | 'plugins'>): readonly RpcListener[] {
  const { sql } = db;
  const endpoint: RpcEndpoint = {
    version: '1.3',
    methods: {
      async security_group_rules_for_devices({ host }, args) {
        const { devices } = parseArguments(RULES, 'security_group_rules_for_devices', args);
        return await rulesByDevice(sql, await devicesOn(sql, plugins, host, devices));
      },
      async security_group_info_for_devices({ host }, args) {
        const method = 'security_group_info_for_devices';
        const { devices, call_version, paged } = parseArguments(INFO, method, args);
        const [major = 0, minor = 0] = call_version.split('.').map(Number);
        const withMacs = major > 1 || minor >= 3;
        const found = await devicesOn(sql, plugins, host, devices);
        return await infoOf(sql, found, { withMacs, paged: paged === true });
      },
    },
  };
  const ours: RpcEndpoint = {
    namespace: 'nucleon',
    version: '1.0',
    methods: {
      async security_group_members({ host }, args) {
        const { security_group, limit, marker } = parseArguments(MEMBERS, 'security_group_members', args);
        const page = { limit: limit ?? PAGE.usual, ...(marker == null ? {} : { after: marker }) };
        const [seen, [found]] = await Promise.all([
          remoteGroupsOfHost(sql, host, [security_group]),
          membersOfGroups(sql, [security_group], page),
        ]);
        if (seen.length === 0) throw new SecurityGroupNotFound(security_group);
        return { members: found?.members ?? [], next: found?.last ?? null };
      },
    },
  };
  return [{ topic: 'q-plugin', endpoints: [endpoint, ours] }];
}

/** The ports of devices that are on the host. Those of routers, DHCP servers and the like are not guarded, and left out. */
async function devicesOn(
  sql: Sql,
  plugins: PluginDirectory,
  host: string,
  names: readonly string[],
): Promise<readonly Device[]> {
  const bound = await findBoundPorts(sql, host, [...new Set(names)]);
  const guarded = [...bound].filter(([, { device_owner }]) => !device_owner.startsWith('network:'));
  const read = plugins.get('CORE')?.readers?.['port'];
  if (read === undefined || guarded.length === 0) return [];
  const ports = await read(
    sql,
    guarded.map(([, { port_id }]) => port_id),
  );
  return guarded.flatMap(([device, { port_id }]) => {
    const port = ports.get(port_id) as JsonObject | undefined;
    if (port === undefined) return [];
    const groups = (port['security_groups'] ?? []) as readonly string[];
    const fixed = (port['fixed_ips'] ?? []) as readonly { readonly ip_address: string }[];
    return [{ port, device, groups, addresses: fixed.map(({ ip_address }) => ip_address) }];
  });
}

/** What is read for devices: their groups, and who is meant by the groups that rules name. */
interface Surroundings {
  readonly groups: ReadonlyMap<string, AppliedGroup>;
  readonly members: ReadonlyMap<string, GroupMembers>;
}

async function surroundings(sql: Sql, devices: readonly Device[], limit: number): Promise<Surroundings> {
  const groups = await appliedGroups(sql, [...new Set(devices.flatMap((device) => device.groups))]);
  const named = (name: 'remote_group_id' | 'remote_address_group_id') => [
    ...new Set(groups.flatMap(({ rules }) => rules.flatMap((rule) => rule[name] ?? []))),
  ];
  const [members, addresses] = await Promise.all([
    membersOfGroups(sql, named('remote_group_id'), { limit }),
    membersOfAddressGroups(sql, named('remote_address_group_id')),
  ]);
  return {
    groups: new Map(groups.map((group) => [group.id, group])),
    members: new Map([...members, ...addresses].map((group) => [group.id, group])),
  };
}

const rulesOf = ({ groups }: Device, { groups: known }: Surroundings): readonly RuleDict[] =>
  groups.flatMap((group) => known.get(group)?.rules ?? []);
const namedBy = (rules: readonly RuleDict[], name: 'remote_group_id' | 'remote_address_group_id') => [
  ...new Set(rules.flatMap((rule) => rule[name] ?? [])),
];

/** A port's dict with its rules; addresses stand there without their subnets. */
function deviceDict(device: Device, around: Surroundings, security_group_rules: readonly Json[]): JsonObject {
  const rules = rulesOf(device, around);
  return {
    ...device.port,
    fixed_ips: device.addresses,
    security_group_rules,
    security_group_source_groups: namedBy(rules, 'remote_group_id'),
    security_group_remote_address_groups: namedBy(rules, 'remote_address_group_id'),
    device: device.device,
  };
}

interface InfoForm {
  readonly withMacs: boolean;
  readonly paged: boolean;
}

async function infoOf(sql: Sql, devices: readonly Device[], { withMacs, paged }: InfoForm): Promise<JsonObject> {
  const around = await surroundings(sql, devices, paged ? PAGE.most : UNPAGED);
  const security_groups: Record<string, Json> = {};
  for (const { id, stateful, rules } of around.groups.values()) {
    const distinct = new Map(rules.map((rule) => [JSON.stringify(rule), { ...rule, stateful }]));
    security_groups[id] = [...distinct.values()];
  }
  const sg_member_ips: Record<string, Json> = {};
  const large_groups: string[] = [];
  let bytes = 0;
  for (const group of around.members.values()) {
    const ethertypes = withMacs ? ethertypesOf(group.id, around) : (['IPv4', 'IPv6'] as const);
    const listed = (members: readonly Member[]) =>
      Object.fromEntries(
        ethertypes.map((ethertype) => {
          const own = members.filter(([ip]) => ethertypeOf(ip) === ethertype);
          return [ethertype, withMacs ? own : [...new Set(own.map(([ip]) => ip))]];
        }),
      );
    const ips = listed(group.members);
    const size = JSON.stringify(ips).length;
    if (group.last === null && (!paged || bytes + size <= AIM_BYTES)) {
      bytes += size;
      sg_member_ips[group.id] = ips;
    } else if (paged) {
      sg_member_ips[group.id] = listed([]);
      large_groups.push(group.id);
    } else throw new MessageTooLarge('The answer to security_group_info_for_devices', bytes + size, MAX_BYTES);
  }
  return {
    devices: Object.fromEntries(
      devices.map((device) => [String(device.port['id']), deviceDict(device, around, providerRules(device.addresses))]),
    ),
    security_groups,
    sg_member_ips,
    ...(paged ? { large_groups } : {}),
  };
}

/** The versions of IP that rules have a group as their remote group for. */
function ethertypesOf(id: string, { groups }: Surroundings): readonly RuleDict['ethertype'][] {
  const rules = [...groups.values()].flatMap((group) => group.rules);
  const naming = rules.filter((rule) => rule.remote_group_id === id || rule.remote_address_group_id === id);
  return [...new Set(naming.map(({ ethertype }) => ethertype))].toSorted();
}

/** The form of old: each device with all its rules, members of remote groups written out. */
async function rulesByDevice(sql: Sql, devices: readonly Device[]): Promise<JsonObject> {
  const around = await surroundings(sql, devices, UNPAGED);
  let count = 0;
  const written = (device: Device): readonly Json[] =>
    device.groups.flatMap((security_group_id) =>
      (around.groups.get(security_group_id)?.rules ?? []).flatMap((rule) => {
        const base = { security_group_id, ...rule };
        const remote = rule.remote_group_id ?? rule.remote_address_group_id;
        if (remote === undefined) return [base];
        const side = rule.direction === 'ingress' ? 'source_ip_prefix' : 'dest_ip_prefix';
        const { members = [], last = null } = around.members.get(remote) ?? {};
        const ips = new Set(members.map(([ip]) => ip));
        const others = [...ips].filter((ip) => !device.addresses.includes(ip) && ethertypeOf(ip) === rule.ethertype);
        count += others.length;
        if (last !== null || count > MOST_RULES) {
          throw new MessageTooLarge('The answer to security_group_rules_for_devices', MAX_BYTES + 1, MAX_BYTES);
        }
        return others.map((ip) => ({ ...base, [side]: networkOf(ip) }));
      }),
    );
  return Object.fromEntries(
    devices.map((device) => {
      const rules = [...written(device), ...providerRules(device.addresses)];
      return [String(device.port['id']), deviceDict(device, around, rules)];
    }),
  );
}
