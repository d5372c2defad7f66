/**
 * The verbs of `security_groups_default_statefulness`: whether new groups of a project, or of all projects without a setting of
 * their own, are stateful where the request does not say. The resource goes by one name in the singular and the plural.
 */
import { listRows, showRow, violatedConstraint } from '#src/db/mod.ts';
import type { Context } from '#src/lib/context.ts';
import { isUuid, newId } from '#src/lib/ids.ts';
import type { PluginHost, Verb } from '#src/lib/plugin.ts';
import { SecurityGroupDefaultStatefulnessAlreadyExists } from './errors.ts';
import { STATEFULNESS } from './reading.ts';
import { statefulnessScope } from './scope.ts';

const ONCE = 'security_groups_default_statefulness_once';

export function defaultStatefulnessVerbs({ db }: PluginHost): Readonly<Record<string, Verb>> {
  const visible = async (context: Context, id: string, fields?: readonly string[]) => {
    const setting = await showRow(db.sql, STATEFULNESS, id, fields, statefulnessScope(context));
    if (setting === undefined) throw STATEFULNESS.notFound(id);
    return setting;
  };

  return {
    async create_security_groups_default_statefulness(_, { body = {} }) {
      const id = newId<'security_groups_default_statefulness'>();
      const project = (body['project_id'] ?? null) as string | null;
      const stateful = body['stateful'] !== false;
      try {
        await db.sql`
          insert into security_groups_default_statefulness (id, project_id, stateful) values (${id}, ${project}, ${stateful})`;
      } catch (error) {
        if (violatedConstraint(error) !== ONCE) throw error;
        throw new SecurityGroupDefaultStatefulnessAlreadyExists(project ?? 'system-wide');
      }
      return { id, project_id: project, stateful };
    },

    /** Shows one, or lists. */
    get_security_groups_default_statefulness: (context, { id, fields, query }) =>
      id !== undefined
        ? visible(context, id, fields)
        : listRows(
            db.sql,
            STATEFULNESS,
            query ?? { filters: [], sorts: [], reverse: false },
            statefulnessScope(context),
          ),

    async update_security_groups_default_statefulness(context, { id = '', body = {} }) {
      const original = await visible(context, id);
      if (typeof body['stateful'] !== 'boolean') return original;
      const { stateful } = body;
      const [changed] = await db.sql`
        update security_groups_default_statefulness set stateful = ${stateful} where id = ${id} returning id`;
      if (changed === undefined) throw STATEFULNESS.notFound(id);
      return { ...original, stateful };
    },

    async delete_security_groups_default_statefulness(_, { id = '' }) {
      const gone = isUuid(id)
        ? await db.sql`delete from security_groups_default_statefulness where id = ${id} returning id`
        : [];
      if (gone.length === 0) throw STATEFULNESS.notFound(id);
    },
  };
}
