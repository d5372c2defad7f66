/**
 * Answers against the API's own description: every one of success must be of the schema that `/v2.0/openapi.json` gives for its
 * route and status, every refusal a NeutronError.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '#src/api/openapi/mod.ts';
import { parseCidr, parseIp, parseMac } from '#src/lib/net/mod.ts';

interface Given {
  readonly method: string;
  /** With the query; or a whole URL. */
  readonly path: string;
}

interface Received {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
}

interface Route {
  readonly template: string;
  readonly segments: readonly string[];
}

const ID = 'https://nucleon.test/openapi.json';
/** What the Networking API does not describe. */
const OTHERS = /^\/(identity|healthcheck)(\/|$)/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  ipv4: (text) => parseIp(text)?.version === 4,
  ipv6: (text) => parseIp(text)?.version === 6,
  cidr: (text) => parseCidr(text) !== null,
  'mac-address': (text) => parseMac(text) !== null,
  'date-time': (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text),
};

/** An Ajv that knows our formats and leaves OpenAPI's own keywords alone. */
export function schemaCompiler(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  for (const [name, holds] of Object.entries(FORMATS)) ajv.addFormat(name, holds);
  return ajv;
}

/** With `fields`, an answer may lack what the schema requires. */
function withoutRequired(document: OpenApiDocument): OpenApiDocument {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    name === 'Error' ? [name, schema] : [name, { ...schema, required: [] }],
  );
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

const pointer = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const parts = (path: string): readonly string[] => path.split('/').slice(1);

export class AnswerCheck {
  readonly #document: OpenApiDocument;
  readonly #routes: readonly Route[];
  readonly #whole: Ajv2020;
  #pruned: Ajv2020 | undefined;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#routes = Object.keys(document.paths)
      .map((template) => ({ template, segments: parts(template) }))
      // What is written out comes before what is in braces.
      .toSorted((left, right) => left.template.split('{').length - right.template.split('{').length);
    this.#whole = schemaCompiler().addSchema(document, ID);
  }

  /** What is wrong with an answer; undefined where nothing is. */
  fault(given: Given, received: Received): string | undefined {
    // As the request has it: `/v2.0/..` is `/`. A link is a whole URL.
    const url = given.path.startsWith('/') ? `http://nucleon.test${given.path}` : given.path;
    const { pathname: path, searchParams } = new URL(url);
    if (OTHERS.test(path)) return undefined;
    if (received.status >= 400) return received.body === undefined ? undefined : this.#error(received);
    return this.#success({ ...given, path }, received, searchParams.has('fields'));
  }

  #error({ body }: Received): string | undefined {
    return this.#mismatch(['components', 'schemas', 'Error'], body, false);
  }

  #success({ method, path }: Given, { status, body, text }: Received, pruned: boolean): string | undefined {
    const route = this.#route(path);
    if (route === undefined) return path.startsWith('/v2.0/openapi') ? undefined : `${path} is not described`;
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const item = this.#document.paths[route.template] as Readonly<Record<string, { readonly responses: object }>>;
    const answers = item[verb]?.responses as Readonly<Record<string, { readonly content?: object }>> | undefined;
    const described = answers?.[status];
    if (described === undefined) return `${status} of ${method} ${route.template} is not described`;
    if (described.content === undefined || method === 'HEAD')
      return text === '' ? undefined : 'a body is not described';
    const steps = ['paths', route.template, verb, 'responses', status, 'content', 'application/json', 'schema'];
    return this.#mismatch(steps, body, pruned);
  }

  #route(path: string): Route | undefined {
    const bare = path.length > 1 && path !== '/v2.0/' ? path.replace(/\/$/, '').replace(/\.json$/, '') : path;
    const given = parts(bare);
    return this.#routes.find(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, at) => {
          const sent = given[at] as string;
          return segment.startsWith('{') ? sent !== '' : segment.replaceAll('_', '-') === sent.replaceAll('_', '-');
        }),
    );
  }

  #mismatch(steps: readonly (string | number)[], body: unknown, pruned: boolean): string | undefined {
    const place = `${ID}#${pointer(steps)}`;
    const key = `${pruned} ${place}`;
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      if (pruned) this.#pruned ??= schemaCompiler().addSchema(withoutRequired(this.#document), ID);
      validate = (pruned ? (this.#pruned as Ajv2020) : this.#whole).compile({ $ref: place });
      this.#compiled.set(key, validate);
    }
    if (validate(body)) return undefined;
    const errors = validate.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    return errors?.join('\n');
  }
}
