/** Numbers of the advisory locks that identity takes; any constants, the same in every release. */
export const LOCKS = {
  /** Who makes a signing key. */
  keys: 7_305_982_201,
  /** Who bootstraps. */
  bootstrap: 7_305_982_202,
  /** Shared by those who issue tokens, exclusive to those who revoke (`revocations.ts`). */
  revocations: 7_305_982_203,
} as const;
