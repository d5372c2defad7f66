import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      // Beside the code: no service, no socket, milliseconds.
      { test: { name: 'unit', include: ['src/**/*.test.ts'], environment: 'node' } },
      // Through the public door, on real PostgreSQL and a real broker (test/support starts them).
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
