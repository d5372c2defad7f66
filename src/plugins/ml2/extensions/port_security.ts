/**
 * Extension driver `port_security`: whether anti-spoofing and security groups apply, per port, with the network's setting
 * as the default of its ports.
 */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';

const NAME = 'port_security_enabled';
const columns = { [NAME]: 'boolean' };
const attribute = {
  allow_post: true,
  allow_put: true,
  convert_to: 'convert_to_boolean',
  enforce_policy: true,
  is_visible: true,
} as const;
const update = ({ body }: { readonly body: Resource }) => (NAME in body ? { [NAME]: body[NAME] } : {});

export const portSecurity: ExtensionDriver = {
  name: 'port_security',
  extensions: [
    {
      alias: 'port-security',
      name: 'Port Security',
      description: 'Turns anti-spoofing and security groups off and on for a port, or for the ports of a network',
      updated: '2012-07-23T10:00:00-00:00',
      attributes: {
        networks: { [NAME]: { ...attribute, default: true } },
        ports: { [NAME]: { ...attribute, default: ATTR_NOT_SPECIFIED } },
      },
    },
  ],
  networks: {
    attributes: { [NAME]: { select: `n.${NAME}`, type: 'boolean' } },
    columns,
    create: ({ body }) => ({ [NAME]: body[NAME] ?? true }),
    update,
  },
  ports: {
    attributes: { [NAME]: { select: `p.${NAME}`, type: 'boolean' } },
    columns,
    // Ports of routers, DHCP servers and the like are the cloud's own: nothing guards them.
    create: ({ body, network }) => {
      const trusted = String(body['device_owner'] ?? '').startsWith('network:');
      return { [NAME]: trusted ? false : (body[NAME] ?? network?.[NAME] ?? true) };
    },
    update,
    notifies: [NAME],
  },
};
