/** What routers show of the agents they have, and where those are to be (neutron.db.availability_zone.router). */

import type { CallbackRegistry } from '#src/lib/callbacks.ts';
import type { Transaction } from '#src/lib/database.ts';
import { AvailabilityZoneNotFound } from '#src/lib/errors.ts';
import type { AttributeExtension } from '#src/lib/ml2/extension_driver.ts';
import type { PluginHost, Resource } from '#src/lib/plugin.ts';
import { wantedSql } from './candidates.ts';
import { l3Settings } from './settings.ts';

/** Read for the scheduler alone: whether the router lacks agents. */
export const WANTED = 'l3_wanted';
const HINTS = 'availability_zone_hints';

/** The attributes of the extension `router_availability_zone`, and the scheduler's word. */
export function agentAttributes({ config }: PluginHost): AttributeExtension {
  const settings = l3Settings(config);
  return {
    attributes: {
      availability_zones: {
        select: `(select coalesce(json_agg(distinct z.availability_zone), '[]') from router_l3_agents o
          join agents z on z.id = o.agent_id where o.router_id = r.id and z.availability_zone <> '')`,
        sort: false,
      },
      [HINTS]: {
        select: 'array_to_json(r.availability_zone_hints)',
        sort: `array_to_string(r.availability_zone_hints, ',')`,
      },
      [WANTED]: { select: wantedSql(settings), type: 'boolean' },
    },
    internal: [WANTED],
    columns: { [HINTS]: 'text[]' },
    create({ body }) {
      const hints = (body[HINTS] ?? []) as readonly string[];
      return { [HINTS]: hints.length > 0 ? hints : settings.defaultZones };
    },
  };
}

/** Refuses hints at zones that no L3 agent is in. */
export function guardZones(callbacks: CallbackRegistry): void {
  callbacks.subscribe('router', 'precommit_create', async ({ latest, tx }) => {
    const hints = (latest as Resource)[HINTS] as readonly string[];
    if (tx === undefined || hints.length === 0) return;
    const unknown = await unknownZone(tx, hints);
    if (unknown !== undefined) throw new AvailabilityZoneNotFound(unknown);
  });
}

async function unknownZone(tx: Transaction, zones: readonly string[]): Promise<string | undefined> {
  const [unknown] = await tx<{ zone: string }[]>`
    select zone from unnest(${zones as string[]}::text[]) as z (zone)
    where not exists (
      select 1 from agents a where a.agent_type = 'L3 agent' and a.availability_zone = z.zone) limit 1`;
  return unknown?.zone;
}
