/**
 * Extension driver `port_trusted`: whether a virtual function may change its own MAC address and see others' traffic. Nova
 * reads it from the binding's profile, so that it shows there, too, whatever profile is kept.
 */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import { BOOLEAN, orNull } from '#src/lib/api/schema.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { columnAttribute } from './column.ts';

const NAME = 'trusted';
const column = columnAttribute(NAME, { alias: 'p', kind: 'boolean' });

export const portTrusted: ExtensionDriver = {
  name: 'port_trusted',
  extensions: [
    {
      alias: 'port-trusted-vif',
      name: 'Port trusted vif',
      description: 'Administrators mark ports whose virtual function is trusted',
      updated: '2024-07-10T10:00:00-00:00',
      required_extensions: ['binding'],
      attributes: {
        ports: {
          [NAME]: {
            allow_post: true,
            allow_put: true,
            convert_to: 'convert_to_boolean',
            enforce_policy: true,
            required_by_policy: false,
            default: ATTR_NOT_SPECIFIED,
            is_visible: true,
            validate: { 'type:boolean': null },
            response: orNull(BOOLEAN),
          },
        },
      },
    },
  ],
  ports: {
    ...column,
    attributes: {
      ...column.attributes,
      'binding:profile': {
        select: `case when p.trusted is null then b.profile else b.profile || jsonb_build_object('trusted', p.trusted) end`,
        sort: false,
      },
    },
  },
};
