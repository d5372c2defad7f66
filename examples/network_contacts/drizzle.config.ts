import { defineConfig } from 'drizzle-kit';

// From the root of Nucleon: npx drizzle-kit generate --config examples/network_contacts/drizzle.config.ts --name what_changes
export default defineConfig({
  dialect: 'postgresql',
  schema: './examples/network_contacts/schema.ts',
  out: './examples/network_contacts/drizzle',
});
