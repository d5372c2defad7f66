/** The description of the whole API: a right document, complete, and as strict as the maps that it is made from. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '#src/api/openapi/mod.ts';
import type { Operation } from '#src/lib/api/definition.ts';
import type { Schema } from '#src/lib/api/schema.ts';
import { member, Stack } from '../support/stack.ts';
import { documentFaults, nodes } from './support.ts';

let stack: Stack;
let document: OpenApiDocument;

beforeAll(async () => {
  stack = await Stack.start('openapi_document');
  document = (await stack.call('GET', '/v2.0/openapi.json', { as: 'nobody' })).body;
});
afterAll(() => stack.stop());

const FORMS: Readonly<Record<Operation, readonly [method: string, onItem: boolean]>> = {
  list: ['get', false],
  create: ['post', false],
  update_all: ['put', false],
  delete_all: ['delete', false],
  show: ['get', true],
  update: ['put', true],
  delete: ['delete', true],
};

const path = (text: string) => text.replaceAll('_', '-');

/** What the definitions say is served: `get /v2.0/ports/{}`. */
function declared(): readonly string[] {
  return stack.resources().flatMap((resource) => {
    const { parent, collection } = resource;
    const above = parent === undefined ? '' : `${path(parent.path_prefix ?? '')}/${path(parent.collection)}/{}`;
    const base = `/v2.0${above}${parent === undefined ? path(resource.path_prefix ?? '') : ''}/${path(collection)}`;
    return resource.operations.map((operation) => {
      const [method, onItem] = FORMS[operation];
      return `${method} ${base}${onItem ? '/{}' : ''}`;
    });
  });
}

function described(): readonly string[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.keys(item as object).map((method) => `${method} ${template.replace(/\{[^}]+\}/g, '{}')}`),
  );
}

function property(schema: string, name: string): Schema {
  const found = document.components.schemas[schema]?.properties?.[name];
  if (found === undefined) throw new Error(`${schema} has no ${name}`);
  return found;
}

describe('/v2.0/openapi.json', () => {
  it('is a document of OpenAPI 3.1', () => {
    expect(documentFaults(document as never)).toEqual([]);
  });

  it('has every operation of every resource', () => {
    const all = new Set(described());
    expect(declared().filter((operation) => !all.has(operation))).toEqual([]);
  });

  it('says what every attribute is in answers', () => {
    const answers = Object.entries(document.components.schemas).filter(([name]) => !/(Create|Update)$/.test(name));
    const untold = answers.flatMap(([name, schema]) =>
      Object.entries(schema.properties ?? {})
        .filter(([, { 'x-extension': _, 'x-policy': __, ...type }]) => Object.keys(type).length === 0)
        .map(([attribute]) => `${name}.${attribute}: tell it by 'response' in its attribute map`),
    );
    expect(untold).toEqual([]);
  });

  it('says what every answer and every body is', () => {
    const open = [...nodes(document.paths)].filter(([place, { schema }]) => {
      return place.endsWith('application/json') && Object.keys(schema as object).length === 0;
    });
    expect(
      open.map(([place]) => `${place}: tell it by 'responses', 'requests' or the action's 'response', 'request'`),
    ).toEqual([]);
  });

  it('tells where things come from, and which rule is asked', () => {
    expect(property('Network', 'provider:network_type')['x-extension']).toBe('provider');
    expect(property('Network', 'mtu')['x-extension']).toBe('net-mtu-writable');
    expect(property('Network', 'name')['x-extension']).toBeUndefined();
    expect(property('PortCreate', 'mac_address')['x-policy']).toBe('port:mac_address');
    expect(property('PortCreate', 'name')['x-policy']).toBeUndefined();
  });

  it('tells apart what is sent, what is answered, and what must be there', () => {
    const { schemas } = document.components;
    expect(schemas['SubnetCreate']?.required).toEqual(['ip_version', 'network_id']);
    expect(property('SubnetCreate', 'enable_dhcp')).toMatchObject({ type: 'boolean', default: true });
    expect(property('Subnet', 'gateway_ip').anyOf).toContainEqual({ type: 'null' });
    expect(Object.keys(schemas['SubnetUpdate']?.properties ?? {})).not.toContain('cidr');
    expect(Object.keys(schemas['Subnet']?.properties ?? {})).not.toContain('prefixlen');
    expect(property('PortUpdate', 'mac_address').type).toEqual(['string', 'null']);
    expect(property('Port', 'mac_address').type).toBe('string');
    // Policy withholds it from who is no administrator.
    expect(schemas['Port']?.required).not.toContain('binding:host_id');
    expect(schemas['Port']?.required).toContain('fixed_ips');
    expect(schemas['Port']?.additionalProperties).toBe(false);
  });

  it('has filters, sort keys, page and conditions of a list and an item', () => {
    type Parameters = readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
    const of = (template: string, method: string): Parameters =>
      (document.paths[template] as Readonly<Record<string, { readonly parameters: Parameters }>>)[method]!.parameters;
    const names = of('/v2.0/ports', 'get').map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['fixed_ips', 'device_id', 'tags-any', 'changed_since', 'limit', 'marker']),
    );
    expect(names).not.toContain('extra_dhcp_opts');
    const change = of('/v2.0/ports/{port_id}', 'put');
    expect(change.map(({ name, in: place }) => `${place} ${name}`)).toEqual(['path port_id', 'header If-Match']);
  });

  it('is the same for everybody, says where the server is, and is only read', async () => {
    const own = await stack.call('GET', '/v2.0/openapi.json', { as: member('alice') });
    expect(own.body).toEqual(document);
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:9696' }]);
    expect((await stack.call('POST', '/v2.0/openapi.json', { body: {} })).status).toBe(405);
    const head = await stack.call('HEAD', '/v2.0/openapi.json');
    expect(head.status).toBe(200);
  });

  it('holds nothing of any project', async () => {
    await stack.create('network', { name: 'a secret name' }, member('alice'));
    expect((await stack.call('GET', '/v2.0/openapi.json')).text).not.toContain('secret name');
  });
});

describe('answers that are not as described are noticed:', () => {
  it('every answer of these suites is held to the document', async () => {
    const { sql } = stack.database;
    const { id } = await stack.create('network', { name: 'x' });
    // What no request can do: a value that the API never gives.
    await sql`alter table networks alter column status drop not null`;
    await sql`update networks set status = null where id = ${id}`;
    await expect(stack.call('GET', `/v2.0/networks/${id}`)).rejects.toThrow('/network/status must be string');
    await sql`delete from networks where id = ${id}`;
    await sql`alter table networks alter column status set not null`;
  });
});
