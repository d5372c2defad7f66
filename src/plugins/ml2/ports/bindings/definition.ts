/** The extensions of port bindings as a sub-resource (neutron_lib.api.definitions.portbindings_extended, port_mac_address_override). */
import { ATTR_NOT_SPECIFIED, type AttributeMap } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition, ResourceDefinition } from '#src/lib/api/definition.ts';
import { OBJECT, objectOf, TEXT } from '#src/lib/api/schema.ts';
import { VNIC_TYPES } from '../../definition/vnic_types.ts';

const READ = { allow_post: false, allow_put: false, is_visible: true } as const;
const WRITTEN = { allow_post: true, allow_put: true, is_visible: true } as const;
const RULED = { default: ATTR_NOT_SPECIFIED, enforce_policy: true } as const;

const ATTRIBUTES: AttributeMap = {
  host: {
    ...WRITTEN,
    primary_key: true,
    is_filter: true,
    validate: { 'type:not_empty_string': 255 },
    response: TEXT,
  },
  vif_type: { ...READ, ...RULED, is_filter: true, response: TEXT },
  vif_details: { ...READ, ...RULED, response: OBJECT },
  vnic_type: {
    ...WRITTEN,
    default: 'normal',
    enforce_policy: true,
    is_filter: true,
    validate: { 'type:values': VNIC_TYPES },
    response: TEXT,
  },
  profile: { ...WRITTEN, ...RULED, validate: { 'type:dict_or_none': null }, response: OBJECT },
  status: { ...READ, is_filter: true, response: TEXT },
  project_id: {
    allow_post: true,
    allow_put: false,
    required_by_policy: true,
    validate: { 'type:string': 255 },
    is_visible: false,
    response: TEXT,
  },
};

const SHOWN = objectOf({
  host: TEXT,
  vif_type: TEXT,
  vif_details: OBJECT,
  vnic_type: TEXT,
  profile: OBJECT,
  status: TEXT,
});

const BINDINGS: ResourceDefinition = {
  collection: 'bindings',
  member: 'binding',
  parent: { collection: 'ports', member: 'port' },
  operations: ['list', 'show', 'create', 'update', 'delete'],
  key: 'host',
  quota: false,
  attributes: ATTRIBUTES,
  member_actions: { activate: { method: 'PUT', response: SHOWN } },
};

export const bindingExtensions: readonly ExtensionDefinition[] = [
  {
    alias: 'binding-extended',
    name: 'Port Bindings Extended',
    description: 'A port has bindings on several hosts, one of them active: for live migration',
    updated: '2017-07-17T10:00:00-00:00',
    required_extensions: ['binding'],
    resources: [BINDINGS],
  },
  {
    alias: 'port-mac-override',
    name: 'Neutron Port MAC address override',
    description: 'A port of the type direct-physical has the MAC address that its binding profile names',
    updated: '2022-03-18T10:00:00-00:00',
  },
];
