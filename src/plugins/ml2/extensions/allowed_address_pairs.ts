/** Address pairs that may pass a port beside its own; a pair without a MAC address means the port's own. */

import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import { DuplicateAddressPairInRequest } from '#src/lib/api/errors.ts';
import { listOf, MAC, objectOf, TEXT } from '#src/lib/api/schema.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import type { Resource } from '#src/lib/plugin.ts';
import { AddressPairAndPortSecurityRequired } from '../errors.ts';

interface AddressPair {
  readonly ip_address: string;
  readonly mac_address: string;
}

const NAME = 'allowed_address_pairs';

/** The pairs with their MAC addresses filled in; two that are then the same are an error. */
function completePairs(pairs: unknown, ownMac: string): readonly AddressPair[] {
  const seen = new Set<string>();
  return ((pairs ?? []) as readonly Partial<AddressPair>[]).map((pair) => {
    const complete = { mac_address: pair.mac_address ?? ownMac, ip_address: String(pair.ip_address) };
    const key = `${complete.mac_address} ${complete.ip_address}`;
    if (seen.has(key)) throw new DuplicateAddressPairInRequest(complete.mac_address, complete.ip_address);
    seen.add(key);
    return complete;
  });
}

function checkPortSecurity(pairs: readonly AddressPair[], port: Resource): void {
  if (pairs.length > 0 && port['port_security_enabled'] === false) throw new AddressPairAndPortSecurityRequired();
}

export const allowedAddressPairs: ExtensionDriver = {
  name: 'allowed_address_pairs',
  extensions: [
    {
      alias: 'allowed-address-pairs',
      name: 'Allowed Address Pairs',
      description: 'Lets traffic of further MAC and IP addresses through a port',
      updated: '2013-07-23T10:00:00-00:00',
      attributes: {
        ports: {
          [NAME]: {
            allow_post: true,
            allow_put: true,
            convert_to: 'convert_none_to_empty_list',
            convert_list_to: 'convert_kvp_list_to_dict',
            validate: { 'type:allowed_address_pairs': null },
            enforce_policy: true,
            default: ATTR_NOT_SPECIFIED,
            is_visible: true,
            response: listOf(objectOf({ ip_address: TEXT, mac_address: MAC })),
          },
        },
      },
    },
    {
      alias: 'aap-reject-multicast',
      name: 'Allowed address pairs reject multicast extension',
      description: 'Multicast addresses are refused in allowed address pairs',
      updated: '2026-04-01T00:00:00-00:00',
      required_extensions: ['allowed-address-pairs'],
    },
  ],
  ports: {
    attributes: { [NAME]: { select: `p.${NAME}`, sort: false } },
    columns: { [NAME]: 'json' },
    create({ body, network }) {
      const pairs = completePairs(body[NAME], String(body['mac_address']));
      checkPortSecurity(pairs, { ...network, ...body });
      return { [NAME]: pairs };
    },
    update({ body, original }) {
      const port = { ...original, ...body };
      const pairs = completePairs(port[NAME], String(port['mac_address']));
      checkPortSecurity(pairs, port);
      return NAME in body ? { [NAME]: pairs } : {};
    },
    notifies: [NAME],
  },
};
