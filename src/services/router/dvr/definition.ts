/** Distributed routers as an extension of routers (neutron_lib.api.definitions.dvr), and how they become so and cease to be. */
import { ATTR_NOT_SPECIFIED } from '#src/lib/api/attributes.ts';
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import { BOOLEAN } from '#src/lib/api/schema.ts';
import { BadRequest } from '#src/lib/errors.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { PluginHost } from '#src/lib/plugin.ts';
import { ADMIN, projectPolicies } from '#src/policy/mod.ts';

const DVR: ExtensionDefinition = {
  alias: 'dvr',
  name: 'Distributed Virtual Router',
  description: 'Routers are on all hosts that have ports of theirs, and route there',
  updated: '2014-06-1T10:00:00-00:00',
  required_extensions: ['router'],
  attributes: {
    routers: {
      distributed: {
        allow_post: true,
        allow_put: true,
        is_visible: true,
        default: ATTR_NOT_SPECIFIED,
        convert_to: 'convert_to_boolean_if_not_none',
        enforce_policy: true,
        response: BOOLEAN,
      },
    },
  },
};

const DOWN_BEFORE: ExtensionDefinition = {
  alias: 'router-admin-state-down-before-update',
  name: "Enforce Router's Admin State Down Before Update Extension",
  description: 'Routers are taken down before they become distributed, or cease to be',
  updated: '2019-07-02T15:56:00',
  required_extensions: ['dvr'],
};

/** They are there where `[DEFAULT] enable_dvr` says so. */
export const dvrExtensions = (enabled: boolean): readonly ExtensionDefinition[] => (enabled ? [DVR, DOWN_BEFORE] : []);

export const dvrPolicies = projectPolicies({
  'create_router:distributed': ADMIN,
  'get_router:distributed': ADMIN,
  'update_router:distributed': ADMIN,
});

/** Throws while the router is up, or is to be up when it has changed: agents would have two kinds of it at once. */
function refuseUp(original: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>>): void {
  if (original['admin_state_up'] !== true && body['admin_state_up'] !== true) return;
  throw new BadRequest(
    'router',
    "Cannot change the 'distributed' attribute of active routers. Please set router admin_state_up to False prior to upgrade",
  );
}

/** The attribute `distributed`, which the server reads also where it does not show it. */
export function dvrAttributes({ config }: Pick<PluginHost, 'config'>): AttributeExtension {
  const byDefault = config.boolean('DEFAULT', 'enable_dvr') && config.boolean('DEFAULT', 'router_distributed');
  return {
    attributes: { distributed: { select: 'r.distributed', type: 'boolean' } },
    columns: { distributed: 'boolean' },
    create: ({ body }) => ({ distributed: body['distributed'] ?? byDefault }),
    update({ body, original }) {
      const wanted = body['distributed'] ?? original['distributed'];
      if (wanted === original['distributed']) return {};
      refuseUp(original, body);
      return { distributed: wanted };
    },
  };
}
