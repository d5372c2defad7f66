/**
 * Extension driver `port_hardware_offload_type`: a port asks for a device that switches in hardware. Nova and the mechanism
 * drivers look for it among the capabilities of the binding's profile, where it is written when the port is made.
 */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import { orNull } from '#src/lib/api/schema.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { columnAttribute } from './column.ts';

const NAME = 'hardware_offload_type';
const column = columnAttribute(NAME, { alias: 'p', kind: 'text' });

/** The profile with the type among its capabilities. */
function withCapability(profile: unknown, type: string): Readonly<Record<string, unknown>> {
  const given = (profile ?? {}) as Readonly<Record<string, unknown>>;
  const capabilities: readonly unknown[] = Array.isArray(given['capabilities']) ? given['capabilities'] : [];
  return { ...given, capabilities: capabilities.includes(type) ? capabilities : [...capabilities, type] };
}

export const portHardwareOffloadType: ExtensionDriver = {
  name: 'port_hardware_offload_type',
  extensions: [
    {
      alias: 'port-hardware-offload-type',
      name: 'Port hardware offload',
      description: 'Ports ask for a device that switches in hardware',
      updated: '2023-05-09T10:00:00-00:00',
      attributes: {
        ports: {
          [NAME]: {
            allow_post: true,
            allow_put: false,
            convert_to: 'convert_to_string',
            enforce_policy: true,
            required_by_policy: false,
            default: ATTR_NOT_SPECIFIED,
            is_visible: true,
            validate: { 'type:values': ['switchdev'] },
            response: orNull({ type: 'string', enum: ['switchdev'] }),
          },
        },
      },
    },
  ],
  ports: {
    ...column,
    create({ body }) {
      const type = body[NAME];
      if (typeof type !== 'string') return { [NAME]: null };
      // `profile` is the binding's column: it is written with the port.
      return { [NAME]: type, profile: withCapability(body['binding:profile'], type) };
    },
  },
};
