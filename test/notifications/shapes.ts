/** Names of what messages carry, as Neutron 21's own messages were seen to have them. */
import { expect } from 'vitest';

export const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
export const IP = expect.stringMatching(/^[0-9a-f.:]+$/);
export const MAC = expect.stringMatching(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);

/** Without private members: vitest makes copies of matchers. */
class Having {
  readonly keys: readonly string[];
  readonly more: Readonly<Record<string, unknown>>;

  constructor(keys: readonly string[], more: Readonly<Record<string, unknown>>) {
    this.keys = keys;
    this.more = more;
  }

  /** What was wrong with the object looked at last. */
  faults: readonly string[] = [];

  asymmetricMatch(other: unknown): boolean {
    if (typeof other !== 'object' || other === null) return false;
    const values = other as Readonly<Record<string, unknown>>;
    this.faults = [
      ...this.keys.filter((key) => !Object.hasOwn(other, key)).map((key) => `${key} is missing`),
      ...Object.entries(this.more)
        .filter(([key, value]) => !isEqual(values[key], value))
        .map(([key, value]) => `${key} is not ${String((value as Having)?.toAsymmetricMatcher?.() ?? value)}`),
    ];
    return this.faults.length === 0;
  }

  toString(): string {
    return 'Having';
  }

  toAsymmetricMatcher(): string {
    return `Having(${this.faults.join(', ')})`;
  }
}

function isEqual(actual: unknown, expected: unknown): boolean {
  try {
    expect(actual).toEqual(expected);
    return true;
  } catch {
    return false;
  }
}

/** An object that has at least these members; of those with a value here, this value. */
export const having = (keys: readonly string[], more: Readonly<Record<string, unknown>> = {}): unknown =>
  new Having(keys, more);

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

// standard_attr_id is left out everywhere: a number of Neutron's own database.
// Left out: qos_policy_id, qos_network_policy_id and resource_request, of extensions that are not served yet.
export const PORT = words(`
  id name network_id project_id mac_address admin_state_up status device_id device_owner fixed_ips tenant_id
  allowed_address_pairs extra_dhcp_opts security_groups description binding:vnic_type binding:profile binding:host_id
  binding:vif_type binding:vif_details port_security_enabled dns_name dns_assignment data_plane_status dns_domain device_profile
  hardware_offload_type numa_affinity_policy trusted propagate_uplink_status hints tags ip_allocation revision_number created_at
  updated_at`);
// Left out: qos_policy_id; qinq and pvlan are no extensions of the loaded drivers.
export const NETWORK = words(`
  id name tenant_id project_id admin_state_up mtu status subnets shared availability_zone_hints
  availability_zones ipv4_address_scope ipv6_address_scope router:external description port_security_enabled dns_domain tags
  l2_adjacency revision_number created_at updated_at provider:network_type provider:physical_network provider:segmentation_id`);
export const SUBNET = words(`
  id name project_id network_id ip_version subnetpool_id enable_dhcp ipv6_ra_mode ipv6_address_mode gateway_ip
  cidr allocation_pools host_routes dns_nameservers shared description router:external service_types dns_publish_fixed_ip tags
  segment_id revision_number created_at updated_at tenant_id`);

/** `versioned_object.data` of each type. */
const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  'SecurityGroup-1.6': words(
    'id name project_id shared stateful is_default rules revision_number description created_at updated_at',
  ),
  'SecurityGroupRule-1.3': words(`
    id project_id security_group_id direction ethertype belongs_to_default_sg revision_number description created_at updated_at`),
  'AddressGroup-1.2': words('id name project_id shared addresses revision_number description created_at updated_at'),
  'Network-1.3': words(`
    id project_id name status admin_state_up shared mtu security segments pvlan dns_domain qos_policy_id revision_number description
    created_at updated_at`),
  'Subnet-1.2': words(`
    id project_id name network_id ip_version cidr gateway_ip allocation_pools enable_dhcp shared dns_nameservers
    dns_publish_fixed_ip host_routes service_types external revision_number description
    created_at updated_at`),
  'Port-1.11': words(`
    id project_id name network_id mac_address admin_state_up device_id device_owner status allowed_address_pairs bindings
    data_plane_status dhcp_options distributed_bindings dns fixed_ips hints security security_group_ids pvlan_type pvlan_community qos_policy_id
    qos_network_policy_id binding_levels revision_number description created_at updated_at`),
};

const pushed = (type: string, data: unknown, event_type: string) => {
  const [name, version] = type.split('-');
  return {
    event_type,
    resource_list: [
      having(['versioned_object.name', 'versioned_object.namespace', 'versioned_object.version'], {
        'versioned_object.name': name,
        'versioned_object.namespace': 'versionedobjects',
        'versioned_object.version': version,
        'versioned_object.data': data,
      }),
    ],
  };
};

/** The arguments of a push of such an object; of one that is gone, with its id. */
export const push = (type: string, data: Readonly<Record<string, unknown>> = {}): unknown =>
  pushed(type, having(OBJECTS[type]!, data), 'updated');
export const pushGone = (type: string): unknown => pushed(type, having(['id']), 'deleted');
