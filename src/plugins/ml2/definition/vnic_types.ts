/** Kinds of virtual NICs that a port may be made for (neutron_lib.api.definitions.portbindings). */
export const VNIC_TYPES: readonly string[] = [
  'normal',
  'direct',
  'macvtap',
  'baremetal',
  'direct-physical',
  'virtio-forwarder',
  'smart-nic',
  'vdpa',
  'accelerator-direct',
  'accelerator-direct-physical',
  'remote-managed',
];
