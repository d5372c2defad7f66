/** Extension driver `port_numa_affinity_policy`: how near to its device Nova must place the instance of a port. */
import type { AttributeSpec } from '#src/lib/api/attributes.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { isBound } from '../binding/bound.ts';
import { PortBoundNUMAAffinityPolicy } from '../errors.ts';
import { columnAttribute } from './column.ts';

const NAME = 'numa_affinity_policy';
const column = columnAttribute(NAME, { alias: 'p', kind: 'text' });
const oneOf = (...values: readonly (string | null)[]): AttributeSpec => ({
  allow_post: true,
  allow_put: true,
  validate: { 'type:values': values },
  default: null,
  is_visible: true,
});

export const portNumaAffinityPolicy: ExtensionDriver = {
  name: 'port_numa_affinity_policy',
  extensions: [
    {
      alias: 'port-numa-affinity-policy',
      name: 'Port NUMA affinity policy',
      description: 'Ports say whether their instance must stand on the NUMA node of their device',
      updated: '2020-07-08T10:00:00-00:00',
      attributes: { ports: { [NAME]: oneOf('required', 'preferred', 'legacy', null) } },
    },
    {
      alias: 'port-numa-affinity-policy-socket',
      name: 'Port NUMA affinity policy "socket"',
      description: 'The socket of the device is near enough',
      updated: '2024-02-09T10:00:00-00:00',
      required_extensions: ['port-numa-affinity-policy'],
      attributes: { ports: { [NAME]: oneOf('required', 'preferred', 'legacy', 'socket', null) } },
    },
  ],
  ports: {
    ...column,
    update(input) {
      const { body, original } = input;
      // Nova has placed the instance by the old one.
      if (NAME in body && isBound(original)) {
        throw new PortBoundNUMAAffinityPolicy(String(original['id']), String(original['binding:host_id']), body[NAME]);
      }
      return column.update?.(input) ?? {};
    },
  },
};
