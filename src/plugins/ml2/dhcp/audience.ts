/**
 * Who is told of a network, its subnets and its ports: the hosts of the DHCP agents that serve it. `dhcp` is all of them;
 * `dhcp_first` the one that has been there longest, which takes up new ports before `dhcp_rest`.
 */
import type { Audience } from '#src/lib/rpc.ts';

type AudienceName = 'dhcp' | 'dhcp_first' | 'dhcp_rest';

/** The audiences, by network; disabled agents belong to them only where they go on serving what they have. */
export function dhcpAudiences(disabledServe: boolean): Readonly<Record<AudienceName, Audience>> {
  const audience =
    (pick: (hosts: readonly string[]) => readonly string[]): Audience =>
    async (sql, ids) => {
      const rows = await sql<{ network_id: string; hosts: readonly string[] }[]>`
        select s.network_id, array_agg(a.host order by s.place) as hosts
        from network_dhcp_agents s join agents a on a.id = s.agent_id
        where s.network_id = any(${ids as string[]}::uuid[]) and (a.admin_state_up or ${disabledServe})
        group by s.network_id`;
      return new Map(rows.map(({ network_id, hosts }) => [network_id, pick(hosts)]));
    };
  return {
    dhcp: audience((hosts) => hosts),
    dhcp_first: audience((hosts) => hosts.slice(0, 1)),
    dhcp_rest: audience((hosts) => hosts.slice(1)),
  };
}
