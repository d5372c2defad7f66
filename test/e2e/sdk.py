"""What programs do with openstacksdk: each line of output is [name, result] as JSON, an error being a result, too."""

import json

import openstack

cloud = openstack.connect()
net = cloud.network


def names(objects):
    return sorted(one.name for one in objects)


def said(name, ask):
    try:
        result = ask()
    except openstack.exceptions.HttpException as error:
        result = f"{type(error).__name__} {error.status_code}"
    print(json.dumps([name, result]))


lan = net.create_network(name="sdk")
subnet = net.create_subnet(network_id=lan.id, ip_version=4, cidr="10.0.0.0/24", name="sdk4")
ports = list(net.create_ports([{"network_id": lan.id, "name": f"sdk{i}", "tags": ["bulk"]} for i in range(5)]))
first = ports[0]
address = first.fixed_ips[0]["ip_address"]

said("bulk ports", lambda: [sorted(port.name for port in ports), ports[0].tags, len({port.mac_address for port in ports})])
said("find by name", lambda: net.find_network("sdk").id == lan.id)
said("find by id", lambda: net.find_network(lan.id).name)
said("find nothing", lambda: net.find_network("never-there"))
said("find must", lambda: net.find_network("never-there", ignore_missing=False))
internal = {"is_admin_state_up": True, "is_shared": False, "is_router_external": False}
said("networks by filters", lambda: names(net.networks(name="sdk", **internal)))
said("external networks", lambda: names(net.networks(name="sdk", is_router_external=True)))
said("ports in pages", lambda: names(net.ports(network_id=lan.id, limit=2)))
said("ports by address", lambda: names(net.ports(fixed_ips=f"ip_address={address}")))
said("ports by subnet and address", lambda: names(net.ports(fixed_ips=[f"subnet_id={subnet.id}", f"ip_address={address}"])))
said("ports by group", lambda: len(list(net.ports(network_id=lan.id, security_group_ids=first.security_group_ids))))
said("ports of a subnet", lambda: len(list(net.get_subnet_ports(subnet.id))))
said("unknown filter", lambda: names(net.networks(ipv4_address_scope_id="x")))

said("update", lambda: net.update_port(first, description="changed").description)
revision = net.get_network(lan.id).revision_number
said("update of a revision", lambda: net.update_network(lan.id, if_revision=revision, name="sdk").name)
said("update of an old revision", lambda: net.update_network(lan.id, if_revision=0, name="no").name)
said("set_tags", lambda: net.set_tags(lan, ["a", "b"]).tags)
said("add_tag", lambda: lan.add_tag(net, "c").fetch_tags(net).tags)
said("remove_tag", lambda: lan.remove_tag(net, "a").fetch_tags(net).tags)
said("networks by tags", lambda: names(net.networks(tags="b,c")))
said("check_tag", lambda: lan.check_tag(net, "b").name)
said("remove_all_tags", lambda: lan.remove_all_tags(net).tags)

project = lan.project_id
said("quota", lambda: net.get_quota(project).networks)
said("quota with details", lambda: sorted(net.get_quota(project, details=True).networks))
said("default quota", lambda: net.get_quota_default(project).ports)
said("quotas", lambda: len(list(net.quotas())))
said("set quota", lambda: net.update_quota(project, networks=50).networks)
said("delete quota", lambda: net.delete_quota(project))

group = net.create_security_group(name="sdk", stateful=True)
tcp = {"security_group_id": group.id, "direction": "ingress", "protocol": "tcp"}
rules = [{**tcp, "ethertype": "IPv4", "port_range_min": port, "port_range_max": port} for port in (22, 80, 443)]
said("bulk rules", lambda: sorted(rule.port_range_min for rule in net.create_security_group_rules(rules)))
said("rules", lambda: len(list(net.security_group_rules(security_group_id=group.id))))
said("rules by filters", lambda: len(list(net.security_group_rules(**tcp, port_range_min=80))))
said("delete of an old revision", lambda: net.delete_security_group(group.id, if_revision=0))

policy = net.create_rbac_policy(object_type="network", object_id=lan.id, action="access_as_shared", target_project_id="*")
said("rbac", lambda: [one.target_project_id for one in net.rbac_policies(object_id=lan.id)])
said("rbac update", lambda: net.update_rbac_policy(policy, target_project_id=project).target_project_id == project)
said("rbac delete", lambda: net.delete_rbac_policy(policy, ignore_missing=False))

scope = net.create_address_scope(name="sdk", ip_version=4)
pool = net.create_subnet_pool(name="sdk", prefixes=["10.160.0.0/16"], address_scope_id=scope.id, default_prefix_length=24)
said("pools by filters", lambda: names(net.subnet_pools(address_scope_id=scope.id, ip_version=4, is_default=False)))
said("pool update", lambda: net.update_subnet_pool(pool, prefixes=["10.160.0.0/15"]).prefixes)
addresses = net.create_address_group(name="sdk", addresses=["10.0.0.0/8"])
said("address group add", lambda: net.add_addresses_to_address_group(addresses, ["11.0.0.0/8"]).addresses)
said("address group remove", lambda: net.remove_addresses_from_address_group(addresses, ["10.0.0.0/8"]).addresses)

said("agents", lambda: sorted(agent.host for agent in net.agents(is_alive=True, agent_type="DHCP agent")))
said("zones", lambda: [zone.name for zone in net.availability_zones(resource="network")])
said("extension", lambda: net.find_extension("quotas").alias)
said("availability", lambda: net.get_network_ip_availability(lan.id).used_ips)
said("segments", lambda: [segment.network_type for segment in net.segments(network_id=lan.id)])

said("cloud layer", lambda: cloud.create_network("cloud", mtu_size=1400, port_security_enabled=False).mtu)
said("cloud subnet", lambda: cloud.create_subnet("cloud", cidr="10.1.0.0/24", disable_gateway_ip=True).gateway_ip)
said("cloud port", lambda: cloud.create_port(cloud.get_network("cloud").id, name="cloud").name)
said("cloud search", lambda: [one.name for one in cloud.search_ports(filters={"name": "cloud"})])
said("cloud group", lambda: cloud.create_security_group("cloud", "d").description)
said("cloud rule", lambda: cloud.create_security_group_rule("cloud", 22, 22, "tcp", "0.0.0.0/0").protocol)
said("cloud quotas", lambda: cloud.get_network_quotas(project).subnets)
said("cloud delete", lambda: [cloud.delete_port("cloud"), cloud.delete_network("cloud"), cloud.delete_security_group("cloud")])

for port in ports:
    net.delete_port(port, ignore_missing=False)
net.delete_network(lan, ignore_missing=False)
said("delete again", lambda: net.delete_network(lan, ignore_missing=False))
net.delete_security_group(group.id)
net.delete_subnet_pool(pool)
net.delete_address_scope(scope)
net.delete_address_group(addresses)
