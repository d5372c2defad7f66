import { defineConfig } from 'vitest/config';

const system = { environment: 'node', testTimeout: 60_000, hookTimeout: 120_000 } as const;

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      // Beside the code: no service, no socket, milliseconds.
      { test: { name: 'unit', include: ['src/**/*.test.ts', 'test/architecture/**/*.test.ts'], environment: 'node' } },
      // Through the public door, on real PostgreSQL and a real broker that come along with the project.
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: ['test/architecture/**', 'test/external/**'],
          globalSetup: ['test/support/postgres_setup.ts'],
          ...system,
        },
      },
      // What leans on a database and a broker, once more on somebody else's (NUCLEON_TEST_POSTGRES_URL, Mosquitto).
      {
        test: {
          name: 'external',
          include: ['test/{db,quota,ml2,identity,rpc,external}/**/*.test.ts'],
          globalSetup: ['test/support/postgres_setup.ts'],
          ...system,
        },
      },
    ],
  },
});
