/**
 * Extension drivers `port_hints` and `port_hint_ovs_tx_steering`: what an administrator tells a port's backend, by the
 * backend's name. The second driver brings no attribute: it says that the hint `tx-steering` is understood.
 */
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';
import { columnAttribute } from './column.ts';

const NAME = 'hints';

/** Hints that there are: for Open vSwitch, how packets of a port are spread over the threads that send. */
const HINTS = {
  openvswitch: {
    'type:dict': { other_config: { 'type:dict': { 'tx-steering': { 'type:values': ['thread', 'hash'] } } } },
  },
} as const;

const isEmpty = (value: unknown) => value === null || value === undefined || Object.keys(value).length === 0;

export const portHints: ExtensionDriver = {
  name: 'port_hints',
  extensions: [
    {
      alias: 'port-hints',
      name: 'Port hints',
      description: 'Ports carry hints for the backend that plugs them in',
      updated: '2023-01-01T00:00:00-00:00',
      attributes: {
        ports: {
          [NAME]: {
            allow_post: true,
            allow_put: true,
            default: null,
            enforce_policy: true,
            is_visible: true,
            validate: { 'type:dict_or_none': HINTS },
          },
        },
      },
    },
  ],
  ports: columnAttribute(NAME, {
    alias: 'p',
    kind: 'json',
    keep: (value) => (isEmpty(value) ? null : value),
    notifies: true,
  }),
};

export const portHintOvsTxSteering: ExtensionDriver = {
  name: 'port_hint_ovs_tx_steering',
  extensions: [
    {
      alias: 'port-hint-ovs-tx-steering',
      name: 'Port hint: Open vSwitch Tx steering',
      description: 'Ports may be given the hint tx-steering for Open vSwitch',
      updated: '2023-01-01T00:00:00-00:00',
      required_extensions: ['port-hints'],
    },
  ],
};
