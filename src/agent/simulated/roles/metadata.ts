/** The metadata agent: it reports; without instances nobody asks it for anything. */
import type { StartRole } from './role.ts';

/** Sets the role up. */
export const startMetadata: StartRole = async () => ({ settled: async () => {} });
