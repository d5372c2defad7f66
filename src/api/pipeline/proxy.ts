/**
 * `http_proxy_to_wsgi`: behind a proxy, the URL that links are made of and the caller's address are what the proxy says.
 * Only if `[oslo_middleware] enable_proxy_headers_parsing` allows it: anybody can send these headers.
 */
import type { ApiMiddleware, MiddlewareOptions } from '../state.ts';

interface Origin {
  readonly proto: string | undefined;
  readonly host: string | undefined;
  readonly remote: string | undefined;
}

function firstOf(header: string | null): string | undefined {
  const first = header?.split(',', 1)[0]?.trim();
  return first === '' ? undefined : first;
}

function unquote(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** The first element of a `Forwarded` header (RFC 7239). */
function forwarded(header: string): Origin {
  const pairs = new Map(
    (firstOf(header) ?? '').split(';').map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim().toLowerCase(), unquote(pair.slice(at + 1).trim())] as const;
    }),
  );
  return { proto: pairs.get('proto'), host: pairs.get('host'), remote: pairs.get('for') };
}

function origin(headers: Headers): Origin {
  const standard = headers.get('forwarded');
  if (standard !== null) return forwarded(standard);
  return {
    proto: firstOf(headers.get('x-forwarded-proto')),
    host: firstOf(headers.get('x-forwarded-host')),
    remote: firstOf(headers.get('x-forwarded-for')),
  };
}

const HOST = /^[\w.:[\]-]+$/;
const PREFIX = /^(?:\/[\w.~-]+)+$/;

export function proxyHeaders({ config }: MiddlewareOptions): ApiMiddleware | undefined {
  if (!config.boolean('oslo_middleware', 'enable_proxy_headers_parsing')) return undefined;
  return async (c, next) => {
    const { proto, host, remote } = origin(c.req.raw.headers);
    const url = new URL(c.env.base);
    const scheme = proto === 'http' || proto === 'https' ? proto : url.protocol.slice(0, -1);
    const authority = host !== undefined && HOST.test(host) ? host : url.host;
    const prefix = firstOf(c.req.raw.headers.get('x-forwarded-prefix')) ?? '';
    c.env.base = `${scheme}://${authority}${PREFIX.test(prefix) ? prefix : ''}`;
    if (remote !== undefined) c.env.remote = { address: remote };
    await next();
  };
}
