import { defineConfig } from 'drizzle-kit';

// One migration covers all slices: foreign keys point from a plugin's tables down to the shared ones.
export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './src/db/columns.ts',
    './src/db/schema/*.ts',
    './src/*/schema.ts',
    './src/plugins/*/schema.ts',
    './src/plugins/*/*/schema.ts',
    './src/services/*/schema.ts',
  ],
  out: './drizzle',
});
