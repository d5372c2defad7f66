/**
 * The API's own description: `/v2.0/openapi.json` (OpenAPI 3.1) and `/v2.0/openapi`, a page to read. Made at the first request,
 * from the maps that the router is made from.
 *
 * Both are public where `openapi` stands before `auth` in the pipeline, as by default: they tell which extensions are loaded,
 * which is not a secret, and nothing of any project. Behind `auth` they need a token; left out, they are not served.
 */
import { answerText } from '../answer.ts';
import { onlyRead } from '../methods.ts';
import type { ApiContext, ApiMiddleware } from '../state.ts';
import { API_ROOT } from '../versions.ts';
import { buildDocument, describeResources } from './document.ts';
import { renderPage } from './page.ts';
import { SCRIPT, STYLE } from './page_parts.ts';
import type { Source } from './resource.ts';

export { buildDocument, describeResources, type OpenApiDocument } from './document.ts';
export type { Source } from './resource.ts';

const PAGE = `${API_ROOT}/openapi`;
const DOCUMENT = `${PAGE}.json`;

/** Stands for the server's address until a request tells it. */
const SERVER = '<server>';

interface Description {
  document(server: string): string;
  readonly page: string;
  readonly pageHeaders: Readonly<Record<string, string>>;
}

async function sourceHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

async function describe(source: Source): Promise<Description> {
  const described = describeResources(source);
  const [before = '', after = ''] = JSON.stringify(buildDocument(described, source, SERVER)).split(
    JSON.stringify(SERVER),
  );
  const [style, script] = await Promise.all([sourceHash(STYLE), sourceHash(SCRIPT)]);
  return {
    document: (server) => before + JSON.stringify(server) + after,
    page: renderPage(described, source),
    pageHeaders: {
      'Content-Security-Policy': `default-src 'none'; style-src ${style}; script-src ${script}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

/** Serves the description. `linkPrefix`: what clients see in front of the paths, if configured. */
export function openApi(source: Source, linkPrefix: string | null): ApiMiddleware {
  let description: Promise<Description> | undefined;
  const answer = async (c: ApiContext): Promise<Response> => {
    const { path, base, trace } = c.env;
    trace.route = path;
    onlyRead(c);
    description ??= describe(source);
    const { document, page, pageHeaders } = await description;
    if (path === PAGE) return answerText(c, 200, page, 'text/html; charset=UTF-8', pageHeaders);
    return answerText(c, 200, document(linkPrefix ?? base), 'application/json');
  };
  return async (c, next) => {
    const { path } = c.env;
    return path === DOCUMENT || path === PAGE ? answer(c) : next();
  };
}
