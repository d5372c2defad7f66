/**
 * The OpenAPI 3.1 document of what this server serves: made from the same maps as the router, so that it cannot tell of what is
 * not there. It holds nothing of any project.
 */
import { listOf, objectOf, type Schema, TEXT } from '#src/lib/api/schema.ts';
import type { Paths } from './operations.ts';
import { resourcePaths } from './operations.ts';
import { type DescribedResource, describeResource, type Source } from './resource.ts';
import { COMMON, reference, resourceSchemas, type Schemas, wrapped } from './schemas.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>;
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly unknown[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly responses: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

const DESCRIPTION = `OpenStack Networking, API v2.0, as this server serves it: core resources and the extensions that are loaded.

Types are those of answers; in bodies the server also takes what converts to them (\`"True"\` for \`true\`, \`"10"\` for \`10\`).
Attributes that policy withholds from a caller are left out of answers. \`x-extension\` names the extension that adds something,
\`x-policy\` the policy rule that is asked.`;

const json = (schema: Schema) => ({ 'application/json': { schema } });
const ok = (schema: Schema) => ({ 200: { description: 'Done', content: json(schema) } });
const REFUSED = { $ref: '#/components/responses/Error' };

const LINKS = listOf(objectOf({ rel: TEXT, href: TEXT }));
const EXTENSION = objectOf({ alias: TEXT, name: TEXT, description: TEXT, updated: TEXT, links: listOf({}) });

const SCHEMAS: Schemas = {
  Version: objectOf({ id: TEXT, status: TEXT, links: LINKS }),
  Extension: EXTENSION,
  CoreResource: objectOf({ name: TEXT, collection: TEXT, links: LINKS }),
};

/** What is served beside the resources. */
const FIXED_PATHS: Readonly<Record<string, unknown>> = {
  '/': {
    get: {
      operationId: 'list_versions',
      summary: 'List versions of the API',
      tags: ['versions'],
      security: [],
      responses: ok(wrapped('versions', listOf(reference('Version')))),
    },
  },
  '/v2.0/': {
    get: {
      operationId: 'list_core_resources',
      summary: 'List resources that are served without an extension',
      tags: ['versions'],
      responses: { ...ok(wrapped('resources', listOf(reference('CoreResource')))), 401: REFUSED, default: REFUSED },
    },
  },
  '/v2.0/extensions': {
    get: {
      operationId: 'list_extensions',
      summary: 'List extensions',
      tags: ['extensions'],
      responses: { ...ok(wrapped('extensions', listOf(reference('Extension')))), 401: REFUSED, default: REFUSED },
    },
  },
  '/v2.0/extensions/{alias}': {
    get: {
      operationId: 'show_extension',
      summary: 'Show extension',
      tags: ['extensions'],
      parameters: [{ name: 'alias', in: 'path', required: true, schema: TEXT }],
      responses: {
        ...ok(wrapped('extension', reference('Extension'))),
        401: REFUSED,
        404: { description: 'No extension of this alias is served.', content: { 'text/plain': { schema: TEXT } } },
        default: REFUSED,
      },
    },
  },
};

function tagsOf(described: readonly DescribedResource[]): OpenApiDocument['tags'] {
  const origins = new Map<string, string>();
  for (const { resource, extension } of described) {
    const origin = extension === undefined ? 'core' : `extension ${extension}`;
    const { collection } = resource.definition;
    if (!origins.has(collection)) origins.set(collection, origin);
  }
  return [...origins].map(([name, description]) => ({ name, description }));
}

/** Describes all resources, in the order of their paths. */
export function describeResources(source: Source): readonly DescribedResource[] {
  return source.resources.all
    .map((resource) => describeResource(resource, source))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

/** Builds the document. `server`: what the paths stand behind. */
export function buildDocument(
  described: readonly DescribedResource[],
  source: Source,
  server: string,
): OpenApiDocument {
  const paths: Paths = Object.assign({}, ...described.map((resource) => resourcePaths(resource, source)));
  return {
    openapi: '3.1.0',
    info: { title: 'OpenStack Networking API', version: '2.0', description: DESCRIPTION },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: tagsOf(described),
    paths: { ...FIXED_PATHS, ...paths },
    components: {
      schemas: Object.assign({}, COMMON, SCHEMAS, ...described.map(resourceSchemas)),
      responses: { Error: { description: 'Refused or failed', content: json(reference('Error')) } },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token', description: 'A token of the Identity service.' },
      },
    },
  };
}
