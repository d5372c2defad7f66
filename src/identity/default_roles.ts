/** The roles that every deployment starts with, and what each implies. */

/** In the order in which they are made. */
export const DEFAULT_ROLES = ['admin', 'manager', 'member', 'reader', 'service'] as const;

export const DEFAULT_IMPLICATIONS: Readonly<Record<string, readonly string[]>> = {
  admin: ['manager'],
  manager: ['member'],
  member: ['reader'],
};

/** What a token of the administrator carries. */
export const ROLES_OF_ADMIN: readonly string[] = ['admin', 'manager', 'member', 'reader'];
