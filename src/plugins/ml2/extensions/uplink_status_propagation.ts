/**
 * Extension drivers `uplink_status_propagation` and `uplink_status_propagation_updatable`: whether a virtual function shows
 * the link state of its physical port. Without the second, it is decided when a port is made.
 */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { columnAttribute } from './column.ts';

const NAME = 'propagate_uplink_status';
const attribute = {
  allow_post: true,
  allow_put: false,
  default: true,
  convert_to: 'convert_to_boolean',
  is_visible: true,
} as const satisfies AttributeSpec;

export const uplinkStatusPropagation: ExtensionDriver = {
  name: 'uplink_status_propagation',
  extensions: [
    {
      alias: 'uplink-status-propagation',
      name: 'Uplink status propagation extension',
      description: 'Ports show the state of their physical uplink, or do not',
      updated: '2018-05-31T18:00:00-00:00',
      attributes: { ports: { [NAME]: attribute } },
    },
  ],
  ports: columnAttribute(NAME, { alias: 'p', kind: 'boolean', keep: (value) => value ?? true, notifies: true }),
};

export const uplinkStatusPropagationUpdatable: ExtensionDriver = {
  name: 'uplink_status_propagation_updatable',
  extensions: [
    {
      alias: 'uplink-status-propagation-updatable',
      name: 'Uplink status propagation updatable extension',
      description: 'propagate_uplink_status of a port can be changed',
      updated: '2024-09-03T18:00:00-00:00',
      required_extensions: ['uplink-status-propagation'],
      attributes: { ports: { [NAME]: { ...attribute, allow_put: true } } },
    },
  ],
};
