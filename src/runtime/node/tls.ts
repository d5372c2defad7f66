/** TLS settings of listeners, from their PEM texts to what node:tls takes. */
import type { TlsOptions as Settings } from 'node:tls';
import type { TlsOptions } from '#src/lib/runtime.ts';

/** How long a peer may take for its part of the handshake. */
const HANDSHAKE_MS = 5000;

export function tlsSettings({ cert, key, clientCa }: TlsOptions): Settings {
  return {
    cert,
    key,
    handshakeTimeout: HANDSHAKE_MS,
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  };
}
