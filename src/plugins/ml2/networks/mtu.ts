/** The least MTU that an IP version needs of its links (RFC 791, RFC 8200). */
export const MINIMUM_MTU: Readonly<Record<4 | 6, number>> = { 4: 68, 6: 1280 };
