/** The operations of a resource: its paths, as the router has them. */
import type { ActionDefinition, Operation, ResourceDefinition } from '#src/lib/api/definition.ts';
import { listOf, type Schema } from '#src/lib/api/schema.ts';
import { RAW_STATUS } from '../controllers/raw.ts';
import { pluralName } from '../naming.ts';
import type { DeclaredAction } from '../router/declared.ts';
import { conditions, fieldsParameter, listParameters, type Parameter, pathParameters } from './parameters.ts';
import type { DescribedResource, Source } from './resource.ts';
import { reference, wrapped } from './schemas.ts';

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  /** The policy rule that is asked. */
  readonly 'x-policy': string;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;
type Answer = { readonly $ref: string } | { readonly description: string; readonly content?: Content };

/** By method, in lower case. */
export type PathItem = Readonly<Record<string, DescribedOperation>>;
export type Paths = Readonly<Record<string, PathItem>>;

interface Form {
  readonly method: string;
  readonly place: 'collection' | 'item';
  readonly status: number;
  /** Statuses of refusals beside 401 and 403. */
  readonly refusals: readonly number[];
  readonly summary: (one: string, many: string) => string;
  /** About all items of a collection at once. */
  readonly many?: true;
}

const FORMS: Readonly<Record<Operation, Form>> = {
  list: {
    method: 'get',
    place: 'collection',
    status: 200,
    refusals: [400],
    summary: (_, many) => `List ${many}`,
    many: true,
  },
  create: {
    method: 'post',
    place: 'collection',
    status: 201,
    refusals: [400, 404, 409],
    summary: (one) => `Create ${one}`,
  },
  show: { method: 'get', place: 'item', status: 200, refusals: [404], summary: (one) => `Show ${one}` },
  update: { method: 'put', place: 'item', status: 200, refusals: [400, 404, 409], summary: (one) => `Change ${one}` },
  delete: { method: 'delete', place: 'item', status: 204, refusals: [404, 409], summary: (one) => `Delete ${one}` },
  update_all: {
    method: 'put',
    place: 'collection',
    status: 200,
    refusals: [400, 404, 409],
    summary: (_, many) => `Replace all ${many}`,
    many: true,
  },
  delete_all: {
    method: 'delete',
    place: 'collection',
    status: 204,
    refusals: [404, 409],
    summary: (_, many) => `Delete all ${many}`,
    many: true,
  },
};

const WITH_BODY: ReadonlySet<string> = new Set(['post', 'put']);

const content = (schema: Schema): Content => ({ 'application/json': { schema } });
const words = (name: string): string => name.replaceAll('_', ' ');

/** The answers: one of success, the refusals that are to be expected, and any other error. */
function answers(
  status: number,
  schema: Schema | undefined,
  refusals: readonly number[],
): DescribedOperation['responses'] {
  const success =
    status === 204 || schema === undefined
      ? { description: 'Done' }
      : { description: 'Done', content: content(schema) };
  const refused = [...new Set([401, 403, ...refusals])]
    .sort()
    .map((code) => [code, { $ref: '#/components/responses/Error' }]);
  return { [status]: success, ...Object.fromEntries(refused), default: { $ref: '#/components/responses/Error' } };
}

/** The body of a request, where there is one. */
function bodyOf(schema: Schema | undefined, required: boolean): Pick<DescribedOperation, 'requestBody'> {
  return schema === undefined ? {} : { requestBody: { required, content: content(schema) } };
}

/** Whether several come into being by one request: at once, or one by one where those before a failure can be taken back. */
function takesSeveral({ bulk, operations }: ResourceDefinition): boolean {
  return bulk === true || operations.includes('delete');
}

function single({ title, resource }: DescribedResource, kind = ''): Schema {
  return wrapped(resource.definition.member, reference(title + kind));
}

/** Undefined: it takes no body, or none that anybody told of. */
function requestSchema(described: DescribedResource, operation: Operation): Schema | undefined {
  const { definition } = described.resource;
  const told = definition.requests?.[operation];
  if (told !== undefined) return told;
  if (definition.raw === true || !WITH_BODY.has(FORMS[operation].method)) return undefined;
  if (operation !== 'create') return single(described, 'Update');
  const one = single(described, 'Create');
  const several = wrapped(definition.collection, { ...listOf(reference(`${described.title}Create`)), minItems: 1 });
  return takesSeveral(definition) ? { anyOf: [one, several] } : one;
}

function answerSchema(described: DescribedResource, operation: Operation): Schema {
  const { definition } = described.resource;
  const told = definition.responses?.[operation];
  if (told !== undefined) return told;
  if (definition.raw === true) return {};
  const { collection } = definition;
  const all = listOf(reference(described.title));
  if (operation === 'list') return wrapped(collection, all, { [`${collection}_links`]: reference('Links') });
  if (operation !== 'create' || !takesSeveral(definition)) return single(described);
  return { anyOf: [single(described), wrapped(collection, all)] };
}

function operationOf(described: DescribedResource, operation: Operation, { extensions }: Source): DescribedOperation {
  const { resource, item, parameters } = described;
  const { definition, rules } = resource;
  const form = FORMS[operation];
  const status = definition.statuses?.[operation] ?? (definition.raw === true ? RAW_STATUS[operation] : form.status);
  const conditional = operation === 'update' || operation === 'delete' ? conditions(described, extensions) : [];
  const readable = definition.raw !== true;
  return {
    operationId: form.many ? `${operation}_${pluralName(definition)}` : `${operation}_${resource.name}`,
    summary: form.summary(words(definition.member), words(definition.collection)),
    tags: [definition.collection],
    parameters: [
      ...pathParameters(form.place === 'item' ? [...parameters, item] : parameters),
      ...(operation === 'list' && readable ? listParameters(described) : []),
      ...(operation === 'show' && readable ? [fieldsParameter(described)] : []),
      ...conditional,
    ],
    ...bodyOf(requestSchema(described, operation), readable),
    responses: answers(
      status,
      answerSchema(described, operation),
      conditional.length > 0 ? [...form.refusals, 412] : form.refusals,
    ),
    'x-policy': rules.operation[operation],
  };
}

function statusOf({ status, method }: ActionDefinition): number {
  return status ?? (method === 'DELETE' ? 204 : 200);
}

function actionOf(
  described: DescribedResource,
  { name, definition }: DeclaredAction,
  onItem: boolean,
  { policy }: Source,
): DescribedOperation {
  const { resource, item, parameters } = described;
  const method = definition.method.toLowerCase();
  const rule = definition.policy ?? name;
  const { show, update } = resource.rules.operation;
  return {
    operationId: `${name}_of_${resource.name}`,
    summary: `${name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase())} (${words(resource.definition.member)})`,
    tags: [resource.definition.collection],
    parameters: pathParameters(onItem ? [...parameters, item] : parameters),
    ...bodyOf(definition.request, true),
    responses: answers(
      statusOf(definition),
      definition.answers_item === true ? single(described) : (definition.response ?? {}),
      method === 'get' ? [404] : [400, 404, 409],
    ),
    'x-policy': policy.defines(rule) ? rule : method === 'get' ? show : update,
  };
}

/** All paths of a resource. */
export function resourcePaths(described: DescribedResource, source: Source): Paths {
  const { resource, path, item } = described;
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  const add = (where: string, method: string, operation: DescribedOperation): void => {
    paths[where] = { ...paths[where], [method]: operation };
  };
  for (const operation of resource.definition.operations) {
    const { method, place } = FORMS[operation];
    add(place === 'item' ? `${path}/{${item}}` : path, method, operationOf(described, operation, source));
  }
  for (const action of resource.collection_actions) {
    add(`${path}/${action.name}`, action.definition.method.toLowerCase(), actionOf(described, action, false, source));
  }
  for (const action of resource.member_actions) {
    add(
      `${path}/{${item}}/${action.name}`,
      action.definition.method.toLowerCase(),
      actionOf(described, action, true, source),
    );
  }
  return paths;
}
