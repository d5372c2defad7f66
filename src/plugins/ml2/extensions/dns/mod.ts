/**
 * Extension drivers of DNS integration (neutron.plugins.ml2.extensions.dns_integration): each has what the one before has,
 * and more. Names are kept and shown; publishing them in an external DNS service (`external_dns_driver`) is not done here.
 *
 * `[DEFAULT] dns_domain` decides. As long as it is unset, `dns_name` and `dns_domain` of ports are not kept, and an address
 * goes by its generated name.
 */
import type { Config } from '#src/lib/config.ts';
import type { AttributeExtension, ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { pick } from '../../values.ts';
import { columnAttribute } from '../column.ts';
import { assignmentText, namesPorts, qualified } from './assignment.ts';
import { DNS_DOMAIN_KEYWORDS, DNS_DOMAIN_PORTS, DNS_INTEGRATION, SUBNET_DNS_PUBLISH_FIXED_IP } from './definition.ts';

const empty = (value: unknown) => value ?? '';
const networks = columnAttribute('dns_domain', { alias: 'n', kind: 'text', keep: empty });
const subnets = columnAttribute('dns_publish_fixed_ip', {
  alias: 's',
  kind: 'boolean',
  keep: (value) => value === true,
});

/** `names`: the attributes of ports that are given and kept. */
function ports(config: Config, names: readonly string[]): AttributeExtension {
  const domain = qualified(config.string('DEFAULT', 'dns_domain'));
  const assignment = assignmentText(domain);
  const kept = (body: Resource) => (namesPorts(domain) ? pick(body, names) : {});
  return {
    attributes: {
      ...Object.fromEntries(names.map((name) => [name, { select: `p.${name}` }])),
      dns_assignment: { select: `(${assignment})::json`, json: assignment, sort: false },
    },
    columns: Object.fromEntries(names.map((name) => [name, 'text'])),
    create: ({ body }) => ({ ...Object.fromEntries(names.map((name) => [name, ''])), ...kept(body) }),
    update: ({ body }) => kept(body),
  };
}

const HOST = ['dns_name'];
const HOST_AND_DOMAIN = ['dns_name', 'dns_domain'];

export const dns = (config: Config): ExtensionDriver => ({
  name: 'dns',
  extensions: [DNS_INTEGRATION],
  networks,
  ports: ports(config, HOST),
});

export const dnsDomainPorts = (config: Config): ExtensionDriver => ({
  name: 'dns_domain_ports',
  extensions: [DNS_INTEGRATION, DNS_DOMAIN_PORTS],
  networks,
  ports: ports(config, HOST_AND_DOMAIN),
});

export const subnetDnsPublishFixedIp = (config: Config): ExtensionDriver => ({
  name: 'subnet_dns_publish_fixed_ip',
  extensions: [DNS_INTEGRATION, DNS_DOMAIN_PORTS, SUBNET_DNS_PUBLISH_FIXED_IP],
  networks,
  subnets,
  ports: ports(config, HOST_AND_DOMAIN),
});

export const dnsDomainKeywords = (config: Config): ExtensionDriver => ({
  name: 'dns_domain_keywords',
  extensions: [DNS_INTEGRATION, DNS_DOMAIN_PORTS, SUBNET_DNS_PUBLISH_FIXED_IP, DNS_DOMAIN_KEYWORDS],
  networks,
  subnets,
  ports: ports(config, HOST_AND_DOMAIN),
});
