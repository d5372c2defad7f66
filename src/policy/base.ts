/**
 * The rules that others are made of (Neutron's base rules). They carry no scope: only the rule that is asked has one.
 * Rules of an add-on's own resources (a firewall's, say) come with that plugin.
 */
import type { PolicyDefault } from '#src/lib/policy.ts';

const BASE: Readonly<Record<string, string>> = {
  context_is_admin: 'role:admin',
  context_with_global_access: '!',
  context_can_set_project_id: '!',
  service_api: 'role:service',
  owner: 'project_id:%(project_id)s',
  admin_or_owner: 'rule:context_is_admin or rule:owner',
  context_is_advsvc: 'role:advsvc',
  admin_or_network_owner: 'rule:context_is_admin or project_id:%(network:project_id)s',
  admin_owner_or_network_owner: 'rule:owner or rule:admin_or_network_owner',
  network_owner: 'project_id:%(network:project_id)s',
  admin_only: 'rule:context_is_admin',
  regular_user: '',
  shared: 'field:networks:shared=True',
  default: 'rule:admin_or_owner',
  admin_or_ext_parent_owner: 'rule:context_is_admin or project_id:%(ext_parent:project_id)s',
  ext_parent_owner: 'project_id:%(ext_parent:project_id)s',
  sg_owner: 'project_id:%(security_group:project_id)s',
  shared_address_groups: 'field:address_groups:shared=True',
  shared_address_scopes: 'field:address_scopes:shared=True',
  external: 'field:networks:router:external=True',
  network_device: 'field:port:device_owner=~^network:',
  admin_or_data_plane_int: 'rule:context_is_admin or role:data_plane_integrator',
  shared_qos_policy: 'field:policies:shared=True',
  restrict_wildcard:
    '(not field:rbac_policy:target_tenant=* and not field:rbac_policy:target_project=*) or rule:admin_only',
  admin_or_sg_owner: 'rule:context_is_admin or project_id:%(security_group:project_id)s',
  admin_owner_or_sg_owner: 'rule:owner or rule:admin_or_sg_owner',
  shared_security_group: 'field:security_groups:shared=True',
  rule_default_sg: 'field:security_group_rules:belongs_to_default_sg=True',
  external_network: 'field:subnets:router:external=True',
  shared_subnetpools: 'field:subnetpools:shared=True',
};

export const baseRules: readonly PolicyDefault[] = Object.entries(BASE).map(([name, check]) => ({ name, check }));
