/** DHCP options of single ports; an option that is set to null in an update goes away, others that are not named stay. */
import { INTEGER, listOf, objectOf, orNull, TEXT } from '#src/lib/api/schema.ts';
import type { ExtensionDriver } from '#src/lib/ml2/extension_driver.ts';

interface DhcpOption {
  readonly opt_name: string;
  readonly opt_value: string | null;
  readonly ip_version: number;
}

const NAME = 'extra_dhcp_opts';
/** Options that may be given without a value. */
const BLANK: ReadonlySet<string> = new Set(['router', 'classless-static-route']);

const complete = (options: unknown): readonly DhcpOption[] =>
  ((options ?? []) as readonly (Partial<DhcpOption> & { readonly opt_name: string })[]).map((option) => ({
    opt_name: option.opt_name,
    opt_value: option.opt_value ?? null,
    ip_version: option.ip_version ?? 4,
  }));
const isSet = (option: DhcpOption) => option.opt_value !== null || BLANK.has(option.opt_name);
const same = (a: DhcpOption, b: DhcpOption) => a.opt_name === b.opt_name && a.ip_version === b.ip_version;

/** The options after an update: named ones replaced, added or (value null) removed. */
export function changedOptions(current: unknown, changes: unknown): readonly DhcpOption[] {
  const changed = complete(changes);
  const kept = complete(current).map((option) => changed.find((change) => same(change, option)) ?? option);
  const added = changed.filter((change) => !kept.some((option) => same(option, change)));
  return [...kept, ...added].filter(isSet);
}

export const extraDhcpOpts: ExtensionDriver = {
  name: 'extra_dhcp_opt',
  extensions: [
    {
      alias: 'extra_dhcp_opt',
      name: 'Neutron Extra DHCP options',
      description: 'Gives single ports DHCP options of their own: PXE boot, MTU and the like',
      updated: '2013-03-17T12:00:00-00:00',
      attributes: {
        ports: {
          [NAME]: {
            allow_post: true,
            allow_put: true,
            is_visible: true,
            default: null,
            response: listOf(objectOf({ opt_name: TEXT, opt_value: orNull(TEXT), ip_version: INTEGER })),
            validate: {
              'type:list_of_any_key_specs_or_none': [
                {
                  opt_name: { 'type:values': [...BLANK], required: true },
                  opt_value: { 'type:string_or_none': 255, required: true },
                  ip_version: { convert_to: 'convert_to_int', 'type:values': [4, 6], required: false },
                },
                {
                  opt_name: { 'type:oneline_not_empty_string': 64, required: true },
                  opt_value: { 'type:oneline_not_empty_string_or_none': 255, required: true },
                  ip_version: { convert_to: 'convert_to_int', 'type:values': [4, 6], required: false },
                },
              ],
            },
          },
        },
      },
    },
  ],
  ports: {
    attributes: { [NAME]: { select: `p.${NAME}`, sort: false } },
    columns: { [NAME]: 'json' },
    create: ({ body }) => ({ [NAME]: complete(body[NAME]).filter(isSet) }),
    update: ({ body, original }) => (NAME in body ? { [NAME]: changedOptions(original[NAME], body[NAME]) } : {}),
  },
};
