/**
 * Networks that carry their tenants' own VLAN tags: `vlan_transparent`, and `qinq`, which puts another tag around them. Served
 * where the mechanism drivers can make such networks, or an option says so and none of them rules it out (neutron.extensions.vlantransparent, qinq).
 */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Config } from '#src/lib/config.ts';
import { BadRequest } from '#src/lib/errors.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';

const BOOLEAN = {
  allow_post: true,
  allow_put: false,
  convert_to: 'convert_to_boolean',
  default: ATTR_NOT_SPECIFIED,
  is_visible: true,
  is_filter: true,
} as const;

function networkColumn(name: string, extension: ExtensionDefinition): ExtensionDriver {
  return {
    name,
    extensions: [extension],
    networks: {
      attributes: { [name]: { select: `n.${name}`, type: 'boolean' } },
      columns: { [name]: 'boolean' },
      create({ body }) {
        if (body['vlan_transparent'] === true && body['qinq'] === true) {
          throw new BadRequest('network', "'vlan_transparent' and 'qinq' cannot both be true");
        }
        return { [name]: body[name] ?? false };
      },
    },
  };
}

const vlanTransparent = networkColumn('vlan_transparent', {
  alias: 'vlan-transparent',
  name: 'Vlantransparent',
  description: "Networks that carry their tenants' VLAN tags",
  updated: '2015-03-23T09:00:00-00:00',
  attributes: { networks: { vlan_transparent: BOOLEAN } },
});

const qinq = networkColumn('qinq', {
  alias: 'qinq',
  name: 'QinQ networks',
  description: "Networks that put a tag of their own around their tenants' VLAN tags",
  updated: '2024-12-02T10:00:00-00:00',
  attributes: { networks: { qinq: { ...BOOLEAN, validate: { 'type:boolean': null } } } },
});

/** What mechanism drivers say of the two: whether all of them can, and the aliases that one of them rules out. */
export interface VlanTagSupport {
  readonly all: { readonly vlan_transparent: boolean; readonly qinq: boolean };
  readonly excluded: ReadonlySet<string>;
}

/** Those of the two that are to be served; where the option is not set, the mechanism drivers decide. */
export function vlanTagDrivers(config: Config, { all, excluded }: VlanTagSupport): readonly ExtensionDriver[] {
  const wanted = (option: string, possible: boolean) =>
    config.isSet('DEFAULT', option) ? config.boolean('DEFAULT', option) : possible;
  return [
    ...(wanted('vlan_transparent', all.vlan_transparent) ? [vlanTransparent] : []),
    ...(wanted('vlan_qinq', all.qinq) ? [qinq] : []),
  ].filter(({ extensions }) => extensions.every(({ alias }) => !excluded.has(alias)));
}
