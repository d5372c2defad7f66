/** Extension driver `port_device_profile`: the name of the device profile (Cyborg) that a port is plugged in with. */
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { columnAttribute } from './column.ts';

const NAME = 'device_profile';

export const portDeviceProfile: ExtensionDriver = {
  name: 'port_device_profile',
  extensions: [
    {
      alias: 'port-device-profile',
      name: 'Port device profile',
      description: 'Ports name the device profile that their accelerator is taken from',
      updated: '2020-12-17T10:00:00-00:00',
      attributes: {
        ports: {
          [NAME]: {
            allow_post: true,
            allow_put: false,
            validate: { 'type:string_or_none': 255 },
            default: null,
            is_visible: true,
          },
        },
      },
    },
  ],
  // An empty name is none.
  ports: columnAttribute(NAME, { alias: 'p', kind: 'text', keep: (value) => value || null }),
};
