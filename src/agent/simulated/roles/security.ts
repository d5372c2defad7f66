/**
 * Security groups of the wired ports. Their rules are asked for; the members of the groups that rules name are the ports that
 * the agent follows, for the server pushes those to whom they matter. When a rule names a group for the first time, its
 * members are there already and nobody pushes them: the ports are synchronised.
 */
import { type FollowedObjects, type Gathering, gather } from '#src/agent/sdk/mod.ts';
import type { PortObject } from '#src/plugins/ml2/agents/contract.ts';
import { SECURITY_GROUP_UPDATES, securityGroupInfoForDevices } from '#src/services/security_groups/contract.ts';
import type { RoleHost } from './role.ts';

/** Listens; what it gives takes the ids of ports whose groups are to be read. */
export async function followSecurityGroups(
  { agent, state }: Pick<RoleHost, 'agent' | 'state'>,
  ports: FollowedObjects<PortObject>,
): Promise<Gathering> {
  const { log, signal } = agent;
  const named = new Set<string>();

  const members = gather({ name: 'following of members', work: () => ports.synchronise(), log, signal });
  const groups = gather({
    name: 'reading of security groups',
    async work(devices) {
      const info = await agent.call(securityGroupInfoForDevices, { devices, call_version: '1.3', paged: true });
      for (const id of devices) {
        const groupsOfPort = info.devices[id]?.security_groups;
        if (groupsOfPort === undefined || !state.ports.has(id)) state.securityGroups.delete(id);
        else state.securityGroups.set(id, groupsOfPort);
      }
      for (const [id, rules] of Object.entries(info.security_groups)) state.rules.set(id, rules);
      const remote = [...state.rules.values()].flatMap((rules) => rules.flatMap((rule) => rule.remote_group_id ?? []));
      const first = remote.filter((id) => !named.has(id));
      for (const id of first) named.add(id);
      if (first.length > 0) members.add(['all']);
    },
    log,
    signal,
  });

  await agent.listen(SECURITY_GROUP_UPDATES, {
    security_groups_rule_updated: ({ security_groups }) => {
      const concerned = [...state.securityGroups].filter(([, own]) => own.some((id) => security_groups.includes(id)));
      groups.add(concerned.map(([port]) => port));
    },
  });
  return {
    add: (ids) => groups.add(ids),
    settled: async () => {
      await groups.settled();
      await members.settled();
    },
  };
}
