/**
 * Several gateways of one router (extensions `external-gateway-multihoming`, `enable-default-route-ecmp`, `-bfd`): Neutron has them
 * where OVN routes; here any router may. The router's data plane is told of all of them.
 */

import { compileAttributes, prepareBody } from '#src/lib/api/prepare.ts';
import { defaultAttributeRules } from '#src/lib/api/rules.ts';
import type { Context } from '#src/lib/context.ts';
import { BadRequest } from '#src/lib/errors.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { RouterHost } from '../host.ts';
import type { GatewayInfo } from '../routers/gateway.ts';
import type { RouterPort } from '../routers/store.ts';
import { askedNetworks, carryOut, type GatewayChange, type JointChange, presentGateways } from './change.ts';
import { EXTERNAL_GATEWAYS, GATEWAY_EXTENSIONS } from './definition.ts';
import { type GatewayPlan, type Present, planAdded, planRemoved, planShown, planUpdated } from './plan.ts';
import { gatewayPolicies } from './policy.ts';

export { gatewayAttributes } from './attributes.ts';
export type { GatewayChange, JointChange } from './change.ts';
export { gatewayEvents } from './events.ts';
export { furtherGateways } from './sync.ts';

/** What a change of gateways leaves; `snat` null: as routers have it of which nobody has said, undefined: as it is. */
export interface GatewayOutcome {
  readonly change: GatewayChange;
  readonly snat?: boolean | null;
}

/** Changes the gateways of a locked router that has these ports. */
export type GatewayWork = (
  joint: JointChange,
  context: Context,
  router: Resource,
  ports: readonly RouterPort[],
) => Promise<GatewayOutcome>;

type Host = Pick<RouterHost, 'acting' | 'callbacks'>;

/** What `external_gateway_info` of an update asks for. */
export const shownGateway =
  (host: Host, info: GatewayInfo | null): GatewayWork =>
  async (joint, context, router, ports) => {
    const networks = await askedNetworks(joint, context, info === null ? [] : [info]);
    const plan = planShown(presentGateways(router, ports), info);
    return {
      change: await carryOut(host, joint, context, router, ports, plan, networks),
      snat: info?.enable_snat ?? null,
    };
  };

const changed =
  (
    host: Host,
    infos: readonly GatewayInfo[],
    planned: (present: Present, infos: readonly GatewayInfo[]) => GatewayPlan,
  ): GatewayWork =>
  async (joint, context, router, ports) => {
    // Whoever takes a gateway away need not see its network any longer.
    const networks = await askedNetworks(joint, context, planned === planRemoved ? [] : infos);
    const plan = planned(presentGateways(router, ports), infos);
    const change = await carryOut(host, joint, context, router, ports, plan, networks);
    const current = router['gw_port_id'];
    const untouched = current !== null && planned !== planUpdated && !plan.remove.some(({ id }) => id === current);
    const said = planned === planRemoved ? undefined : infos[0]?.enable_snat;
    return untouched ? { change } : { change, snat: said ?? null };
  };

const compiled = compileAttributes(
  { external_gateways: { ...EXTERNAL_GATEWAYS, allow_put: true } },
  defaultAttributeRules,
);

/** The gateways of an action's body: `{router: {external_gateways: [...]}}`. */
function gatewaysOf(context: Context, body: Resource): readonly GatewayInfo[] {
  const { router } = body;
  if (typeof router !== 'object' || router === null || Array.isArray(router) || !('external_gateways' in router)) {
    throw new BadRequest('router', 'the body is to be {"router": {"external_gateways": [...]}}');
  }
  const { external_gateways: given } = router as Resource;
  // What `openstack router unset` says before anything that it takes away.
  if (typeof given === 'object' && given !== null && Object.keys(given).length === 0) return [];
  const infos = prepareBody(compiled, router as Resource, 'PUT', context)['external_gateways'];
  return Array.isArray(infos) ? (infos as readonly GatewayInfo[]) : [];
}

/** The verbs of the actions, over the router's own update. */
export function gatewayVerbs(
  host: Host,
  update: (context: Context, call: Call, work: GatewayWork) => Promise<Resource>,
): Readonly<Record<string, Verb>> {
  const action =
    (planned: (present: Present, infos: readonly GatewayInfo[]) => GatewayPlan): Verb =>
    async (context, { body = {}, ...call }) =>
      await update(context, { ...call, body: {} }, changed(host, gatewaysOf(context, body), planned));
  return {
    add_external_gateways: action(planAdded),
    update_external_gateways: action(planUpdated),
    remove_external_gateways: action(planRemoved),
  };
}

export const gateways = (): PluginPart => ({ extensions: GATEWAY_EXTENSIONS, policies: gatewayPolicies });
