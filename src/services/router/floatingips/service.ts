/**
 * The verbs of floating IPs: an address on an external network, held by a port of nobody's, that leads to an address of a port
 * inside. The unique constraint on fixed addresses decides between two who associate the same at once.
 */
import { listRows, lockRow, reviseRow, showRow, showRows, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import type { Transaction } from '#src/lib/database.ts';
import { BadRequest, NetworkNotFound, RevisionNumberConstraintFailed } from '#src/lib/errors.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import { Messages } from '#src/lib/messages.ts';
import { parseIp } from '#src/lib/net/mod.ts';
import type { Call, Resource, Verb } from '#src/lib/plugin.ts';
import { ExternalIpAddressExhausted, FloatingIPNotFound, FloatingIPPortAlreadyAssociated } from '../errors.ts';
import type { RouterHost } from '../host.ts';
import { floatingIpScope, poolReading, poolScope } from '../reading.ts';
import { refuseUnseenSubnet } from '../routers/gateway.ts';
import { type OutsideNetwork, outsideNetworks } from '../routers/store.ts';
import { type Association, associate, checkRequest, NOWHERE } from './association.ts';
import { FIXED_IP_ONCE, FLOATING_COLUMNS, FLOATING_OWNER, insertFloatingIps, targets, type Wish } from './store.ts';

const KIND = 'floatingip';

interface Draft {
  readonly id: string;
  readonly project_id: string;
  readonly network_id: string;
  readonly body: Resource;
}

export function floatingIpVerbs(host: RouterHost): Readonly<Record<string, Verb>> {
  const { db, callbacks, outbox, quota, reading, acting, together } = host;
  const extensions = host.floatingips;
  const columns = { ...FLOATING_COLUMNS, ...extensions.columns };

  const visible = async (context: Context, id: string, tx?: Transaction, fields?: readonly string[]) => {
    const floatingip = await showRow(tx ?? db.sql, reading.floatingips, id, fields, floatingIpScope(context));
    if (floatingip === undefined) throw new FloatingIPNotFound(id);
    return floatingip;
  };

  const locked = async (tx: Transaction, context: Context, call: Call, mode: 'no key update' | 'update') => {
    const { id = '', if_match: expected } = call;
    if (!isUuid(id)) throw new FloatingIPNotFound(id);
    const [, floatingip] = await Promise.all([lockRow(tx, 'floatingips', id, mode), visible(context, id, tx)]);
    const revision = floatingip['revision_number'];
    if (expected !== undefined && expected !== revision) {
      throw new RevisionNumberConstraintFailed(`Constrained to ${expected}, but current revision is ${revision}`);
    }
    return floatingip;
  };

  const create = async (context: Context, bodies: readonly Resource[]): Promise<readonly Resource[]> => {
    const drafts = bodies.map(
      (body): Draft => ({
        id: newId<'floatingip'>(),
        project_id: String(body['project_id'] ?? context.project_id ?? ''),
        network_id: String(body['floating_network_id']),
        body,
      }),
    );
    for (const { id, body } of drafts) {
      checkRequest(body);
      checkNames(body);
      await callbacks.publish(KIND, 'before_create', { context, resource_id: id, request: body });
    }
    const payload = (latest: Resource, at: number) => ({
      ...{ context, resource_id: String(latest['id']), latest, request: bodies[at] ?? {} },
      metadata: { association_event: latest['port_id'] === null ? null : true },
    });
    const created = await asAssociated(drafts, () =>
      together({ label: 'create_floatingip' }, async (tx, verbs, last) => {
        const wishes = drafts.flatMap(wishOf);
        // Sent at once; routers are locked before networks.
        const [led, networks] = await Promise.all([
          targets(tx, context, wishes),
          outsideNetworks(
            tx,
            context,
            drafts.map(({ network_id }) => network_id),
          ),
        ]);
        for (const draft of drafts) await checkNetwork(verbs, context, draft, networks.get(draft.network_id));
        const ports = (await verbs['create_port_bulk']?.(acting.as(context), {
          parents: {},
          bodies: drafts.map(portOf),
        })) as readonly Resource[];
        const found = new Map(led.map((target) => [target.floatingip_id, target]));
        const rows = drafts.map(({ id, project_id, network_id, body }, at) => {
          const address = addressOf(ports[at], network_id);
          const { port_id } = body;
          const leads: Association =
            typeof port_id === 'string'
              ? associate(context, { id, project_id, network_id, address }, { ...body, port_id }, found.get(id))
              : NOWHERE;
          return {
            ...{ id, project_id, description: body['description'] ?? '', status: 'DOWN' },
            ...{ floating_ip_address: address, floating_network_id: network_id, floating_port_id: ports[at]?.['id'] },
            ...leads,
            last_known_router_id: null,
            dns_name: body['dns_name'] ?? '',
            dns_domain: body['dns_domain'] ?? '',
            ...extensions.create({ context, body }),
          };
        });
        const ids = drafts.map(({ id }) => id);
        const written = drafts.map(({ id, body }, at) => ({ id, body, row: rows[at] ?? {} }));
        const [, stored, read] = await Promise.all([
          insertFloatingIps(tx, columns, rows),
          extensions.store(tx, context, written),
          showRows(tx, reading.floatingips, ids),
        ]);
        const floatingips = stored ? read : await showRows(tx, reading.floatingips, ids);
        const messages = new Messages();
        const { notify } = messages;
        for (const [at, latest] of floatingips.entries()) {
          await callbacks.publish(KIND, 'precommit_create', { ...payload(latest, at), tx, notify });
        }
        messages.send(outbox, tx, context);
        const byProject = Map.groupBy(drafts, ({ project_id }) => project_id);
        // In a fixed order, so that two requests take the quota rows of several projects in the same order.
        for (const [project, { length }] of [...byProject].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          await quota.charge(tx, project, { floatingip: length }, last);
        }
        return floatingips;
      }),
    );
    for (const [at, latest] of created.entries()) await callbacks.publish(KIND, 'after_create', payload(latest, at));
    return created;
  };

  /** What the body changes of where the floating IP leads; undefined: nothing. */
  const change = async (
    tx: Transaction,
    context: Context,
    original: Resource,
    body: Resource,
  ): Promise<Association | undefined> => {
    const port_id = body['port_id'] as string | null | undefined;
    // Once a floating IP had nothing else that could change: an update that says nothing takes it off its port.
    if (port_id === undefined) return Object.keys(body).length === 0 ? NOWHERE : undefined;
    if (port_id === null) return NOWHERE;
    const [id, project_id, network_id, address] = [
      ...[original['id'], original['project_id'], original['floating_network_id'], original['floating_ip_address']],
    ].map(String) as [string, string, string, string];
    const [target] = await targets(tx, context, wishOf({ id, project_id, network_id, body }));
    return associate(context, { id, project_id, network_id, address }, { ...body, port_id }, target);
  };

  const update = async (context: Context, call: Call): Promise<Resource> => {
    const { id = '', body = {} } = call;
    checkRequest(body);
    const before = call.original ?? (await visible(context, id));
    await callbacks.publish(KIND, 'before_update', { context, resource_id: id, original: before, request: body });
    const draft = { id, project_id: '', network_id: String(before['floating_network_id']), body };
    const address = String(before['floating_ip_address']);
    const outcome = await asAssociated(
      [draft],
      () =>
        db.transaction({ label: 'update_floatingip' }, async (tx) => {
          // Routers and ports are locked before floating IPs: those that never change of it are enough for that.
          const leads = await change(tx, context, before, body);
          const original = await locked(tx, context, call, 'no key update');
          const moves = leads === undefined ? {} : movedTo(original, leads);
          const asked = { ...pick(body, ['description']), ...extensions.update({ context, body, original }) };
          const values: Record<string, unknown> = {
            ...Object.fromEntries(Object.entries(asked).filter(([name, value]) => value !== original[name])),
            ...moves,
          };
          const stored = extensions.stored.some((name) => body[name] !== undefined);
          if (stored) await extensions.store(tx, context, [{ id, body, original }]);
          if (!stored && Object.keys(values).length === 0) return { original, latest: original };
          const [, latest] = await Promise.all([
            reviseRow(tx, 'floatingips', id, columns, values),
            visible(context, id, tx),
          ]);
          const messages = new Messages();
          const { notify } = messages;
          await callbacks.publish(KIND, 'precommit_update', {
            ...{ context, resource_id: id, original, latest, request: body, tx, notify },
          });
          messages.send(outbox, tx, context);
          return { original, latest };
        }),
      address,
    );
    const { original, latest } = outcome;
    const moved = original['port_id'] !== latest['port_id'];
    await callbacks.publish(KIND, 'after_update', {
      ...{ context, resource_id: id, original, latest, request: body },
      metadata: { association_event: moved ? latest['port_id'] !== null : null },
    });
    return latest;
  };

  return {
    create_floatingip: async (context, { body = {} }) => (await create(context, [body]))[0],
    create_floatingip_bulk: (context, { bodies = [] }) => create(context, bodies),

    get_floatingip: (context, { id = '', fields }) => visible(context, id, undefined, fields),

    get_floatingips: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, reading.floatingips, query, floatingIpScope(context)),

    update_floatingip: update,

    async delete_floatingip(context, call) {
      const { id = '' } = call;
      if (callbacks.listens(KIND, 'before_delete')) {
        const before = call.original ?? (await visible(context, id));
        await callbacks.publish(KIND, 'before_delete', { context, resource_id: id, original: before });
      }
      const original = await together({ label: 'delete_floatingip' }, async (tx, verbs) => {
        const original = await locked(tx, context, call, 'update');
        // The row goes with its port; who follows ports' deletions here tells of it and counts it (`ports/deletion.ts`).
        await verbs['delete_port']?.(acting.as(context), { id: String(original['floating_port_id']), parents: {} });
        return original;
      });
      await callbacks.publish(KIND, 'after_delete', { context, resource_id: id, original });
    },

    get_floatingip_pools: (context, { query = { filters: [], sorts: [], reverse: false } }) =>
      listRows(db.sql, poolReading(context), query, poolScope(context)),
  };
}

const pick = (body: Resource, names: readonly string[]): Resource =>
  Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]));

/** The port that holds the address: of no project, because it is the cloud's. */
function portOf({ id, network_id, body }: Draft): Resource {
  const fixed = {
    ...(body['subnet_id'] == null ? {} : { subnet_id: body['subnet_id'] }),
    ...(body['floating_ip_address'] == null ? {} : { ip_address: body['floating_ip_address'] }),
  };
  return {
    ...{ project_id: '', network_id, device_id: id, device_owner: FLOATING_OWNER, admin_state_up: true, name: '' },
    ...(Object.keys(fixed).length === 0 ? {} : { fixed_ips: [fixed] }),
  };
}

/** Callers may write a UUID in ways that PostgreSQL does not read; no port is called so. */
function wishOf({ id, network_id, body: { port_id } }: Draft): readonly Wish[] {
  return typeof port_id === 'string' && isUuid(port_id) ? [{ floatingip_id: id, network_id, port_id }] : [];
}

async function checkNetwork(
  verbs: Readonly<Record<string, Verb>>,
  context: Context,
  { network_id, body }: Draft,
  network: OutsideNetwork | undefined,
): Promise<void> {
  if (network === undefined) throw new NetworkNotFound(network_id);
  if (!network.external) {
    throw new BadRequest('floatingip', `Network ${network_id} is not a valid external network`);
  }
  if (!network.subnets.some(({ ip_version }) => ip_version === 4)) {
    throw new BadRequest('floatingip', `Network ${network_id} does not contain any IPv4 subnet`);
  }
  await refuseUnseenSubnet(verbs, context, network, body['subnet_id'] as string | null | undefined);
}

/** The IPv4 address of the new port. */
function addressOf(port: Resource | undefined, network_id: string): string {
  const fixed = (port?.['fixed_ips'] ?? []) as readonly { readonly ip_address: string }[];
  const found = fixed.find(({ ip_address }) => parseIp(ip_address)?.version === 4);
  if (found === undefined) throw new ExternalIpAddressExhausted(network_id);
  return found.ip_address;
}

/** A name stands in a domain, and a domain has a name in it. */
function checkNames({ dns_name = '', dns_domain = '' }: Resource): void {
  if (dns_domain !== '' && dns_name === '') {
    throw new BadRequest('floatingip', 'dns_domain cannot be specified without a dns_name');
  }
  if (dns_name !== '' && dns_domain === '') {
    throw new BadRequest('floatingip', 'dns_name cannot be specified without a dns_domain');
  }
}

/** Columns of where it leads, if that is elsewhere than now. */
function movedTo(original: Resource, leads: Association): Readonly<Record<string, unknown>> {
  const { port_id, fixed_ip_address, router_id } = original;
  // One that leads nowhere and still has a router leads to several ports, which is for others to end (port forwardings).
  const same =
    port_id === leads.fixed_port_id &&
    (port_id === null || (fixed_ip_address === leads.fixed_ip_address && router_id === leads.router_id));
  return same ? {} : { ...leads, last_known_router_id: router_id ?? null };
}

/** Two who associate one fixed address at once meet at the constraint: the second is told so. */
async function asAssociated<Result>(
  drafts: readonly Draft[],
  work: () => Promise<Result>,
  address = '',
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const [draft] = drafts.filter(({ body }) => typeof body['port_id'] === 'string');
    if (draft === undefined || violatedConstraint(error) !== FIXED_IP_ONCE) throw error;
    const { id, network_id, body } = draft;
    const [port_id, fixed_ip] = [body['port_id'], body['fixed_ip_address'] ?? ''].map(String) as [string, string];
    throw new FloatingIPPortAlreadyAssociated(id, address, port_id, fixed_ip, network_id);
  }
}
