/** The extensions of DNS integration: one constant each, because several drivers serve them and an alias is one extension. */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import { READ_ONLY } from '#src/lib/api/common_attributes.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import { IP, listOf, objectOf, TEXT } from '#src/lib/api/schema.ts';

const NAME = {
  allow_post: true,
  allow_put: true,
  default: '',
  convert_to: 'convert_string_to_case_insensitive',
  is_visible: true,
} as const satisfies AttributeSpec;
const HOST_NAME = { ...NAME, validate: { 'type:dns_host_name': 255 } } as const;
const DOMAIN_NAME = { ...NAME, validate: { 'type:dns_domain_name': 255 } } as const;

/** Of floating IPs: given once, when they are made. */
const FLOATING_NAME = { ...NAME, allow_put: false } as const;

const ASSIGNMENT = {
  ...READ_ONLY,
  response: listOf(objectOf({ ip_address: IP, hostname: TEXT, fqdn: TEXT })),
} as const;

export const DNS_INTEGRATION: ExtensionDefinition = {
  alias: 'dns-integration',
  name: 'DNS Integration',
  description: 'Ports have a DNS name, and networks the domain that it stands in',
  updated: '2015-08-15T18:00:00-00:00',
  attributes: {
    ports: { dns_name: HOST_NAME, dns_assignment: ASSIGNMENT },
    networks: { dns_domain: DOMAIN_NAME },
    floatingips: {
      dns_name: { ...FLOATING_NAME, validate: { 'type:fip_dns_host_name': 255 } },
      dns_domain: { ...FLOATING_NAME, validate: { 'type:dns_domain_name': 255 } },
    },
  },
};

export const DNS_DOMAIN_PORTS: ExtensionDefinition = {
  alias: 'dns-domain-ports',
  name: 'dns_domain for ports',
  description: 'Ports name a DNS domain of their own',
  updated: '2017-04-24T10:00:00-00:00',
  required_extensions: ['dns-integration'],
  attributes: { ports: { dns_domain: DOMAIN_NAME } },
};

export const SUBNET_DNS_PUBLISH_FIXED_IP: ExtensionDefinition = {
  alias: 'subnet-dns-publish-fixed-ip',
  name: 'Subnet DNS publish fixed IP',
  description: 'Subnets say whether the fixed addresses of their ports are published in DNS',
  updated: '2019-05-24T10:00:00-00:00',
  required_extensions: ['dns-domain-ports'],
  attributes: {
    subnets: {
      dns_publish_fixed_ip: {
        allow_post: true,
        allow_put: true,
        default: false,
        convert_to: 'convert_to_boolean',
        is_visible: true,
      },
    },
  },
};

export const DNS_DOMAIN_KEYWORDS: ExtensionDefinition = {
  alias: 'dns-integration-domain-keywords',
  name: 'DNS domain names with keywords allowed',
  description: 'Domains may hold <project_id>, <project_name>, <user_id> and <user_name>',
  updated: '2020-06-15T18:00:00-00:00',
  required_extensions: ['dns-integration'],
};
