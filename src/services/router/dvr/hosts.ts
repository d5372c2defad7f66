/**
 * Which hosts a distributed router concerns, and where its floating IPs are, as SQL (neutron.db.l3_dvrscheduler_db,
 * neutron.db.l3_dvr_db). Nothing of it is stored: it follows from where ports are bound.
 *
 * A distributed router is on the hosts that have an L3 agent in a mode of distributed routing and
 *   - ports that it serves, bound or about to migrate there, with addresses in subnets that it has an interface on,
 *   - or such ports of a router that it is connected with by a network, or that router's SNAT,
 *   - or its own SNAT, which is scheduled (`router_l3_agents`): that is not told here.
 *
 * The limits and offsets keep PostgreSQL to the way by indexes, however many ports there are.
 */
export const DISTRIBUTED = 'network:router_interface_distributed';
export const SNAT = 'network:router_centralized_snat';
export const AGENT_GATEWAY = 'network:floatingip_agent_gateway';

/** Read along with floating IPs, and not shown: whether their router is a distributed one. */
export const ON_DISTRIBUTED = 'on_distributed_router';

/** Of L3 agents that go by `l`: those that have distributed routers beside their scheduled ones. */
export const IS_DISTRIBUTED = `l.agent_type = 'L3 agent' and
  l.configurations->>'agent_mode' in ('dvr', 'dvr_snat', 'dvr_no_external')`;

/** What is served beside servers of Nova. */
const OWNERS = ['trunk:subport', 'neutron:LOADBALANCER', 'neutron:LOADBALANCERV2'] as const;

/** Whether ports of the owner are served where they are; `dhcp` is `[DEFAULT] host_dvr_for_dhcp`. */
export const isServed = (device_owner: string, dhcp: boolean): boolean =>
  device_owner.startsWith('compute:') ||
  OWNERS.some((owner) => owner === device_owner) ||
  (dhcp && device_owner === 'network:dhcp');

/** The same of ports that go by `p`; whatever they are, they are served when floating IPs lead to them. */
export const served = (dhcp: boolean): string =>
  `(p.device_owner like 'compute:%'
    or p.device_owner in (${[...OWNERS, ...(dhcp ? ['network:dhcp'] : [])].map((owner) => `'${owner}'`).join(', ')})
    or exists (select 1 from floatingips f where f.fixed_port_id = p.id offset 0))`;

/**
 * Selects (router_id, through) of distributed routers on a common network, by an interface of one of them at least; `among` is an
 * expression of type uuid[].
 */
export const connectedTo = (among: string): string => `
  select o.router_id, x.router_id as through
  from routers r join router_ports o on o.router_id = r.id
  cross join lateral (select network_id from ports where id = o.port_id limit 1) u
  cross join lateral (
    select q.id from ports q
    where q.network_id = u.network_id and q.device_owner in ('${DISTRIBUTED}', 'network:router_gateway') offset 0) q
  cross join lateral (select router_id, port_type from router_ports where port_id = q.id limit 1) x
  cross join lateral (select 1 from routers y where y.id = x.router_id and y.distributed limit 1) y
  where r.distributed and r.id = any(${among}) and x.router_id <> r.id and '${DISTRIBUTED}' in (o.port_type, x.port_type)`;

/** Selects (host) of ports with addresses in subnets that are served; `subnets` is a condition on addresses that go by `a`. */
export const hostsOf = (subnets: string, dhcp: boolean): string => `
  select h.host
  from ip_allocations a
  cross join lateral (select id, device_owner from ports where id = a.port_id limit 1) p
  cross join lateral (select host, profile from port_bindings where port_id = p.id offset 0) b
  cross join lateral (values (b.host), (b.profile->>'migrating_to')) h (host)
  where ${subnets} and ${served(dhcp)} and h.host <> ''`;

/** Selects (router_id, agent_id, host) for the distributed routers of `among`, an expression of type uuid[]. */
export const placesOf = (among: string, dhcp: boolean): string => `
  select d.router_id, l.id as agent_id, l.host
  from (
    select r.id as router_id, r.id as through from routers r where r.distributed and r.id = any(${among})
    union ${connectedTo(among)}) d
  cross join lateral (
    select h.host
    from router_ports i join ip_allocations s on s.port_id = i.port_id
    cross join lateral (${hostsOf('a.subnet_id = s.subnet_id', dhcp)}) h
    where i.router_id = d.through and i.port_type = '${DISTRIBUTED}'
    union
    select t.host from router_l3_agents k join agents t on t.id = k.agent_id
    where k.router_id = d.through and d.through <> d.router_id) h
  join agents l on l.host = h.host and ${IS_DISTRIBUTED}
  group by d.router_id, l.id, l.host`;

/**
 * Selects (router_id) of the distributed routers on a host, `host` an expression, whose L3 agent is in a mode of distributed
 * routing.
 */
export const routersOn = (host: string, dhcp: boolean): string => `
  select k.router_id from (
    with own as (
      select x.router_id
      from (
        select distinct p.network_id, a.subnet_id
        from port_bindings b
        cross join lateral (select id, network_id, device_owner from ports where id = b.port_id limit 1) p
        cross join lateral (select subnet_id from ip_allocations where port_id = p.id offset 0) a
        where (b.host = ${host} or b.profile->>'migrating_to' = ${host}) and ${served(dhcp)}) s
      cross join lateral (
        select q.id from ports q where q.network_id = s.network_id and q.device_owner = '${DISTRIBUTED}' offset 0) q
      cross join lateral (select router_id from router_ports where port_id = q.id limit 1) x
      where exists (select 1 from ip_allocations i where i.port_id = q.id and i.subnet_id = s.subnet_id)
        and exists (select 1 from routers r where r.id = x.router_id and r.distributed)),
    through as (
      select router_id from own
      union
      select t.router_id from router_l3_agents t join agents g on g.id = t.agent_id where g.host = ${host})
    select router_id from own
    union
    select c.through from (${connectedTo(`(select array_agg(router_id) from through)::uuid[]`)}) c) k
  where exists (select 1 from agents l where l.host = ${host} and ${IS_DISTRIBUTED})`;

/**
 * Joins to floating IPs that go by `f` a row `place` with
 *   host        where the port is that it leads to, or null
 *   dest_host   where that port is about to migrate, or null
 *   mode        of the L3 agent at `host`, or null
 *   centralized whether its router's SNAT agent has it: the port is nowhere, or where no external network is
 */
export const FLOATING_PLACE = `
  left join lateral (
    select w.host, w.dest_host, w.mode, w.host is null or w.mode = 'dvr_no_external' as centralized
    from (
      select nullif(b.host, '') as host,
        coalesce(nullif(b.profile->>'migrating_to', ''),
          (select n.host from port_bindings n where n.port_id = b.port_id and n.status = 'INACTIVE' limit 1)) as dest_host,
        (select l.configurations->>'agent_mode' from agents l where l.host = b.host and l.agent_type = 'L3 agent') as mode
      from port_bindings b where b.port_id = f.fixed_port_id and b.status = 'ACTIVE' limit 1) w) place on true`;

/** `host` of a floating IP of a distributed router where it is its router's SNAT agent's. */
export const NEEDS_BINDING = 'FLOATING_IP_NEEDS_BINDING';
/** `host` of one that the asking host has not. */
export const UNBOUND = 'FLOATING_IP_UNBOUND';
