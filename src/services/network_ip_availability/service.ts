/** The verbs of availabilities. */
import { listRows, showRow } from '#src/db/mod.ts';
import { NetworkNotFound } from '#src/lib/errors.ts';
import type { PluginHost, Verb } from '#src/lib/plugin.ts';
import { availabilityReading, COMPUTED } from './reading.ts';

/** What must be read for these fields. */
function reading(fields: readonly string[] | undefined): readonly string[] | undefined {
  return fields?.some((name) => COMPUTED.includes(name)) ? [...new Set([...fields, ...COMPUTED])] : fields;
}

export function availabilityVerbs({ db }: PluginHost): Readonly<Record<string, Verb>> {
  return {
    async get_network_ip_availability(_context, { id = '', fields }) {
      const found = await showRow(db.sql, availabilityReading(undefined), id, reading(fields));
      if (found === undefined) throw new NetworkNotFound(id);
      return found;
    },

    async get_network_ip_availabilities(_context, { query = { filters: [], sorts: [], reverse: false } }) {
      const versions = query.filters.find(({ attribute }) => attribute === 'ip_version')?.values;
      const fields = reading(query.fields);
      return await listRows(db.sql, availabilityReading(versions), fields === undefined ? query : { ...query, fields });
    },
  };
}
