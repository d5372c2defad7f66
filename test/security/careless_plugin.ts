/** A plugin with a defect: it writes, and then refuses. */
import { InvalidInput } from '#src/lib/errors.ts';
import type { PluginModule } from '#src/plugin_api/mod.ts';

export default {
  create: ({ db }) => ({
    type: 'CARELESS',
    extensions: [],
    resources: [
      {
        collection: 'wishes',
        member: 'wish',
        operations: ['create'],
        attributes: { id: { allow_post: false, allow_put: false, is_visible: true, primary_key: true } },
        quota: false,
      },
    ],
    policies: [{ name: 'create_wish', check: '@' }],
    verbs: {
      async create_wish() {
        await db.sql`insert into quotas (project_id, resource, "limit") values ('careless', 'network', 1)`;
        throw new InvalidInput('no wishes today');
      },
    },
  }),
} satisfies PluginModule;
