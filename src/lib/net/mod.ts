/** Addresses: IP, networks and MAC, parsed strictly, compared as numbers, written canonically. */
export * from './ip.ts';
export * from './mac.ts';
