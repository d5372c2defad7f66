/** Rules that belong to one service: RBAC, flavors, trunks, security groups, service graphs, L2 gateways. */
import { InvalidInput } from '../../errors.ts';
import type { Validator } from '../attributes.ts';
import { InvalidServiceType } from '../errors.ts';
import { pythonInt, pythonStr, pythonTruthy } from '../python.ts';
import type { AttributeSettings } from '../settings.ts';
import { isUuidLike } from '../uuid.ts';
import { isDictionary } from './dicts.ts';
import { listOf, notAList } from './lists.ts';
import { quoted, values } from './scalars.ts';

const ETHERTYPE_NAMES: ReadonlySet<string> = new Set(['ipv4', 'ipv6', 'ip', 'arp']);

const ethertype: Validator = (value) => {
  const text = pythonStr(value).toLowerCase();
  return ETHERTYPE_NAMES.has(text) || /^(?:0x)?[0-9a-f]{1,4}$/.test(text)
    ? null
    : `Ethertype ${pythonStr(value)} is not a two octet hexadecimal number or ethertype name.`;
};

const valid_target_project: Validator = (value) => {
  if (value !== '*' && !isUuidLike(value)) {
    throw new InvalidInput(`target ${quoted(value)} is neither a project's id nor '*' for all projects`);
  }
  return null;
};

const service_plugin_type =
  (settings: AttributeSettings): Validator =>
  (value) => {
    if (typeof value !== 'string' || !settings.serviceTypes().includes(value)) {
      throw new InvalidServiceType(pythonStr(value));
    }
    return null;
  };

/** A trunk's subports: a segmentation needs type and id, but `inherit` takes the id from the port's network. */
const subports: Validator = (value) => {
  if (!Array.isArray(value)) return `Invalid data format for subports: ${notAList(value)}`;
  const ports = new Set<string>();
  const segmentations = new Set<string>();
  for (const subport of value as readonly unknown[]) {
    if (!isDictionary(subport)) return `Invalid data format for subport: ${quoted(subport)} is not a dict`;
    const { port_id, segmentation_type, segmentation_id } = subport;
    if (!('port_id' in subport)) return 'A valid port UUID must be specified';
    if (!isUuidLike(port_id)) return `Invalid UUID for subport: ${quoted(port_id)}`;
    if (ports.has(port_id as string)) return `Non unique UUID for subport: ${quoted(port_id)}`;
    ports.add(port_id as string);
    if (segmentation_type === 'inherit' || Object.keys(subport).length === 1) continue;
    if (!pythonTruthy(segmentation_type) || !pythonTruthy(segmentation_id)) {
      return `Invalid subport details ${quoted(subport)}: segmentation_type and segmentation_id go together`;
    }
    const segmentation = `${pythonStr(segmentation_type)} ${pythonStr(segmentation_id)}`;
    if (segmentations.has(segmentation)) {
      return `Segmentation ID ${quoted(segmentation_id)} for ${quoted(port_id)} is not unique`;
    }
    segmentations.add(segmentation);
  }
  return null;
};

const list_of_allowed_values = listOf(values);

const l2gwdevice_list: Validator = (value) => {
  if (!Array.isArray(value) || value.length === 0) return 'A gateway needs a list of devices';
  for (const device of value as readonly unknown[]) {
    if (!isDictionary(device)) return `Gateway device ${quoted(device)} is not a dictionary`;
    if (!pythonTruthy(device['device_name'])) return 'A gateway device needs a device_name';
    const { interfaces } = device;
    if (!Array.isArray(interfaces) || interfaces.length === 0) return 'A gateway device needs a list of interfaces';
    for (const port of interfaces as readonly unknown[]) {
      if (!isDictionary(port) || !pythonTruthy(port['name'])) return 'An interface of a gateway device needs a name';
      checkVlans(port['segmentation_id']);
    }
  }
  return null;
};

function checkVlans(ids: unknown): void {
  if (!pythonTruthy(ids)) return;
  for (const id of Array.isArray(ids) ? (ids as readonly unknown[]) : [ids]) {
    const vlan = pythonInt(id);
    if (vlan === null || vlan < 1 || vlan > 4094) throw new InvalidInput(`segmentation_id ${quoted(id)} is no VLAN id`);
  }
}

/** The rules of this file, by name. */
export function serviceRules(settings: AttributeSettings) {
  return {
    'type:ethertype': ethertype,
    'type:valid_target_project': valid_target_project,
    'type:service_plugin_type': service_plugin_type(settings),
    'type:subports': subports,
    'type:list_of_allowed_values': list_of_allowed_values,
    'type:l2gwdevice_list': l2gwdevice_list,
  } satisfies Readonly<Record<string, Validator>>;
}
