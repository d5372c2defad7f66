/**
 * What a port's own binding is made for, as bodies say it. That of a distributed port is always of no host, and counts as bound:
 * its hosts have replicas (`../replicas`). A port that becomes distributed leaves its host, one that ceases to be is not bound.
 */
import type { Resource } from '#src/lib/plugin.ts';
import { type BindingInput, isDistributed } from '../binding/mod.ts';
import { PortInUse } from '../errors.ts';
import { changes } from '../values.ts';
import { checkProfile } from './profile.ts';

const HOST = 'binding:host_id';
const BINDING = {
  [HOST]: { column: 'host', empty: '' },
  'binding:vnic_type': { column: 'vnic_type', empty: 'normal' },
  'binding:profile': { column: 'profile', empty: {} },
} as const;

const vifTypeOf = (port: Resource) => (isDistributed(port) ? 'distributed' : 'unbound');

/** The columns of a new port's binding. */
export function newBinding(body: Resource): Required<BindingInput> {
  checkProfile(body['binding:profile']);
  return {
    host: isDistributed(body) ? '' : String(body[HOST] ?? ''),
    vnic_type: String(body['binding:vnic_type'] ?? 'normal'),
    profile: body['binding:profile'] ?? {},
    vif_type: vifTypeOf(body),
  };
}

export interface BindingChange {
  /** Undefined: the binding stays as it is. */
  readonly input: BindingInput | undefined;
  /** Whether what was plugged in is not any more. */
  readonly rebound: boolean;
}

/** How an update changes the binding of a port that it makes `port`. Throws PortInUse for another kind of a bound port. */
export function changeOfBinding(original: Resource, port: Resource, body: Resource): BindingChange {
  const binding = changes(original, isDistributed(port) ? { ...bindingOf(body), [HOST]: '' } : bindingOf(body));
  checkVnicTypeChange(original, binding);
  const converted = isDistributed(port) !== isDistributed(original);
  if (!converted && Object.keys(binding).length === 0) return { input: undefined, rebound: false };
  return {
    input: { ...columnsOf(binding), vif_type: vifTypeOf(port) },
    rebound: converted || !isDistributed(port),
  };
}

/** The binding attributes that the body names, null meaning the empty value. */
function bindingOf(body: Resource): Resource {
  checkProfile(body['binding:profile']);
  return Object.fromEntries(
    Object.entries(BINDING)
      .filter(([name]) => body[name] !== undefined)
      .map(([name, { empty }]) => [name, body[name] ?? empty]),
  );
}

function columnsOf(binding: Resource): BindingInput {
  return Object.fromEntries(
    Object.entries(BINDING)
      .filter(([name]) => name in binding)
      .map(([name, { column }]) => [column, binding[name]]),
  );
}

/** The kind of a port is not changed while it is bound, or binding it has failed. */
function checkVnicTypeChange(original: Resource, binding: Resource): void {
  if (binding['binding:vnic_type'] !== undefined && original['binding:vif_type'] !== 'unbound') {
    const { id, network_id, device_id } = original as Readonly<Record<string, string>>;
    throw new PortInUse(String(id), String(network_id), String(device_id));
  }
}
