/** What OpenAPI 3.1 asks of a document beyond JSON: everything that is wrong with one. */
import { schemaCompiler } from '../support/openapi.ts';

type Node = Readonly<Record<string, unknown>>;

const METHODS: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'head', 'patch', 'options', 'trace']);
const ROOT_KEYS =
  /^(?:openapi|info|jsonSchemaDialect|servers|paths|webhooks|components|security|tags|externalDocs|x-.*)$/;
const OPERATION_KEYS =
  /^(?:tags|summary|description|externalDocs|operationId|parameters|requestBody|responses|callbacks|deprecated|security|servers|x-.*)$/;
const PARAMETER_KEYS =
  /^(?:name|in|description|required|deprecated|allowEmptyValue|style|explode|allowReserved|schema|example|examples|content|x-.*)$/;
const RESPONSE_KEYS = /^(?:description|headers|content|links|x-.*)$/;
const STATUS = /^(?:[1-5]\d\d|[1-5]XX|default)$/;
/** Names of components. */
const NAME = /^[\w.-]+$/;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object in a JSON value, with where it stands. */
export function* nodes(value: unknown, place = '#'): Generator<readonly [string, Node]> {
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* nodes(item, `${place}/${at}`);
  if (!isNode(value)) return;
  yield [place, value];
  for (const [key, inner] of Object.entries(value)) yield* nodes(inner, `${place}/${key}`);
}

function resolves(document: Node, reference: string): boolean {
  let value: unknown = document;
  for (const step of reference.slice(2).split('/')) value = isNode(value) ? value[step] : undefined;
  return reference.startsWith('#/') && value !== undefined;
}

/** A checker over one document, gathering what it finds. */
export function documentFaults(document: Node): readonly string[] {
  const faults: string[] = [];
  const ajv = schemaCompiler();
  const expect = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const keys = (node: Node, allowed: RegExp, place: string) => {
    for (const key of Object.keys(node)) expect(allowed.test(key), `${place} has '${key}'`);
  };
  const schema = (value: unknown, place: string) => {
    expect(isNode(value) && ajv.validateSchema(value) === true, `${place} is no schema: ${ajv.errorsText(ajv.errors)}`);
  };
  const content = (value: unknown, place: string) => {
    for (const [type, media] of Object.entries(value as Node)) {
      expect(/^[a-z]+\/[\w.+-]+$/.test(type), `${place} has the type '${type}'`);
      schema((media as Node)['schema'], `${place} ${type}`);
    }
  };
  const response = (value: Node, place: string) => {
    if (value['$ref'] !== undefined) return;
    keys(value, RESPONSE_KEYS, place);
    expect(typeof value['description'] === 'string', `${place} has no description`);
    if (value['content'] !== undefined) content(value['content'], place);
  };
  const operation = (value: Node, path: string, place: string) => {
    keys(value, OPERATION_KEYS, place);
    const parameters = (value['parameters'] ?? []) as readonly Node[];
    const names = parameters.map((parameter) => `${parameter['in']} ${parameter['name']}`);
    expect(new Set(names).size === names.length, `${place} has a parameter twice: ${names.join(', ')}`);
    const inPath = parameters.filter((parameter) => parameter['in'] === 'path');
    const templated = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    expect(
      JSON.stringify(inPath.map((parameter) => parameter['name'])) === JSON.stringify(templated),
      `${place} has other parameters than its path`,
    );
    for (const parameter of parameters) {
      keys(parameter, PARAMETER_KEYS, place);
      expect(
        ['path', 'query', 'header', 'cookie'].includes(String(parameter['in'])),
        `${place} has a parameter nowhere`,
      );
      expect(parameter['in'] !== 'path' || parameter['required'] === true, `${place} has a path without its parameter`);
      schema(parameter['schema'], `${place} ${parameter['name']}`);
    }
    const body = value['requestBody'] as Node | undefined;
    if (body !== undefined) content(body['content'], `${place} body`);
    const responses = value['responses'] as Node;
    expect(
      Object.keys(responses).some((status) => /^2/.test(status)),
      `${place} never succeeds`,
    );
    for (const [status, answer] of Object.entries(responses)) {
      expect(STATUS.test(status), `${place} answers '${status}'`);
      response(answer as Node, `${place} ${status}`);
    }
  };

  keys(document, ROOT_KEYS, '#');
  expect(/^3\.1\.\d+$/.test(String(document['openapi'])), `#/openapi is ${document['openapi']}`);
  const info = document['info'] as Node;
  expect(typeof info['title'] === 'string' && typeof info['version'] === 'string', '#/info lacks title or version');
  const ids: unknown[] = [];
  const shapes = new Map<string, string>();
  for (const [path, item] of Object.entries(document['paths'] as Node)) {
    expect(path.startsWith('/'), `${path} is no path`);
    const shape = path.replace(/\{[^}]+\}/g, '{}');
    expect(!shapes.has(shape), `${path} and ${shapes.get(shape)} are one path`);
    shapes.set(shape, path);
    for (const [method, value] of Object.entries(item as Node)) {
      expect(METHODS.has(method), `${path} has the method '${method}'`);
      operation(value as Node, path, `${method} ${path}`);
      ids.push((value as Node)['operationId']);
    }
  }
  expect(
    new Set(ids).size === ids.length,
    `an operationId comes twice: ${ids.filter((id, at) => ids.indexOf(id) !== at)}`,
  );
  const components = document['components'] as Readonly<Record<string, Node>>;
  for (const [kind, named] of Object.entries(components)) {
    for (const [name, value] of Object.entries(named)) {
      expect(NAME.test(name), `#/components/${kind} has the name '${name}'`);
      if (kind === 'schemas') schema(value, `#/components/schemas/${name}`);
      if (kind === 'responses') response(value as Node, `#/components/responses/${name}`);
    }
  }
  for (const [place, { $ref }] of nodes(document)) {
    if (typeof $ref === 'string') expect(resolves(document, $ref), `${place} refers to ${$ref}, which is nowhere`);
  }
  const tags = new Set((document['tags'] as readonly Node[]).map((tag) => tag['name']));
  for (const { requirement } of [...nodes(document)].flatMap(([, { security }]) =>
    ((security ?? []) as readonly Node[]).flatMap((one) => Object.keys(one).map((requirement) => ({ requirement }))),
  )) {
    expect(
      Object.hasOwn(components['securitySchemes'] ?? {}, requirement),
      `the security scheme ${requirement} is nowhere`,
    );
  }
  expect(tags.size === (document['tags'] as readonly Node[]).length, 'a tag comes twice');
  return faults;
}
