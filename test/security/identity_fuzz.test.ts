/**
 * Whatever is sent to the embedded Identity service is answered in time and never with a defect of ours, and what is refused
 * has changed nothing but the counters of failed logins.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROUTES } from '#src/identity/http/mod.ts';
import { type Answer, Stack } from '../support/stack.ts';
import { inTime, PROPERTY_MS, text, tries, value } from './hostile.ts';

const PASSWORD = 'the administrator has a password';
const IDENTITY = '/identity/v3';
/** Refused logins are counted, and that is all that a refusal does. */
const COUNTERS = ['identity_login_failures'];

let stack: Stack;
let token: string;
/** Objects that requests may name, change and delete; by the name of the path's parameter. */
let ids: Readonly<Record<string, string>>;

const send = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  inTime(
    stack.call(method, `${IDENTITY}${path}`, {
      as: { token },
      headers,
      ...(body === undefined ? {} : { body }),
    }),
  );

async function logIn(): Promise<string> {
  const answer = await stack.call('POST', `${IDENTITY}/auth/tokens`, {
    as: 'nobody',
    body: {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'admin', domain: { id: 'default' }, password: PASSWORD } },
        },
        scope: { project: { name: 'admin', domain: { id: 'default' } } },
      },
    },
  });
  return answer.headers.get('X-Subject-Token') ?? '';
}

let nth = 0;
async function make(collection: string, member: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await send('POST', `/${collection}`, { [member]: body });
  if (answer.status !== 201) throw new Error(`POST ${collection}: ${answer.status} ${answer.text}`);
  return answer.body[member].id;
}

async function furnish(): Promise<void> {
  nth += 1;
  const name = `n${nth}`;
  const project = await make('projects', 'project', { name });
  const user = await make('users', 'user', { name, password: 'p' });
  const group = await make('groups', 'group', { name });
  const role = await make('roles', 'role', { name });
  const implied = await make('roles', 'role', { name: `${name} implied` });
  const service = await make('services', 'service', { type: name });
  const region = await make('regions', 'region', { id: name });
  const endpoint = await make('endpoints', 'endpoint', { service_id: service, interface: 'public', url: 'http://x' });
  const domain = await make('domains', 'domain', { name });
  ids = {
    project,
    user,
    group,
    role,
    service,
    region,
    endpoint,
    domain,
    implied,
    prior: role,
    actor: user,
    target: project,
    credential: 'none',
    tag: 'tag',
  };
}

beforeAll(async () => {
  stack = await Stack.start('identity_fuzz', {
    DEFAULT: { auth_strategy: 'embedded' },
    identity: { password_hash_cost: 10 },
  });
  await stack.api.identity!.bootstrap(PASSWORD);
  token = await logIn();
  await furnish();
});
/** The request under way: a property that runs out of time leaves its last one behind. */
let underWay: Promise<unknown> = Promise.resolve();
beforeEach(() => underWay.catch(() => {}));
afterAll(async () => {
  await underWay.catch(() => {});
  await stack.stop();
});

const summary = ({ fields }: Stack['errors'][number]) => {
  const error = fields?.['error'];
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

function neverADefect(request: () => Promise<Answer>): Promise<Answer> {
  const outcome = judge(request);
  underWay = outcome;
  return outcome;
}

async function judge(request: () => Promise<Answer>): Promise<Answer> {
  const before = await stack.dump(COUNTERS);
  const answer = await request();
  if (answer.status >= 500 && answer.status !== 503) {
    throw new Error(`${answer.status}: ${JSON.stringify(stack.errors.splice(0).map(summary))}`);
  }
  if (answer.status >= 400) expect(await stack.dump(COUNTERS)).toBe(before);
  else if (before.length > 60_000) {
    await stack.database.sql`delete from identity_revocations where subject like 'user:%'`;
  }
  return answer;
}

const MEMBERS = [
  'domain',
  'project',
  'user',
  'group',
  'role',
  'service',
  'endpoint',
  'region',
  'application_credential',
];
const NAMES = [
  'id',
  'name',
  'description',
  'enabled',
  'options',
  'tags',
  'domain_id',
  'parent_id',
  'is_domain',
  'default_project_id',
  'password',
  'original_password',
  'type',
  'service_id',
  'region_id',
  'interface',
  'url',
  'parent_region_id',
  'extra',
  'roles',
  'secret',
  'expires_at',
  'unrestricted',
  'access_rules',
  'email',
  'links',
  '__proto__',
  'constructor',
];

const parameters = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
const encoded = text.map((raw) => encodeURIComponent(raw.toWellFormed()));
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'name',
        'domain_id',
        'enabled',
        'parent_id',
        'is_domain',
        'tags',
        'not-tags-any',
        'name__icontains',
        'name__contains',
        'type',
        'service_id',
        'interface',
        'user.id',
        'group.id',
        'scope.project.id',
        'scope.domain.id',
        'effective',
        'include_names',
        'include_subtree',
        'parents_as_list',
        'subtree_as_ids',
        'nocatalog',
        'allow_expired',
        '__proto__',
        'constructor',
      ),
      encoded,
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, given]) => `${name}=${given}`).join('&'));
const object = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));
const body = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...MEMBERS), object).map(([name, given]) => ({ [name]: given })) },
  { weight: 1, arbitrary: value },
);

describe('whatever is sent', () => {
  it(
    'to any route',
    async () => {
      const request = fc.constantFrom(...ROUTES).chain((route) =>
        fc.record({
          route: fc.constant(route),
          named: fc.tuple(...parameters(route.path).map(() => fc.option(encoded, { nil: undefined, freq: 2 }))),
          query,
          // The body that the route wants, more often than not.
          body: fc.oneof(
            body,
            object.map((given) => ({ [memberOf(route.path)]: given })),
          ),
        }),
      );
      await fc.assert(
        fc.asyncProperty(request, async ({ route, named, query: search, body: sent }) => {
          // Its own session must outlive the test.
          if (route.method === 'DELETE' && route.path === '/auth/tokens') return;
          const values = [...named];
          const path = route.path.replace(/:(\w+)/g, (_, name: string) => values.shift() ?? ids[name] ?? 'none');
          const withBody = ['POST', 'PUT', 'PATCH'].includes(route.method);
          const answer = await neverADefect(() =>
            send(route.method, `${path}?${search}`, withBody ? JSON.stringify(sent) : undefined, {
              'X-Subject-Token': token,
            }),
          );
          if (route.method === 'DELETE' && answer.status < 300) await furnish();
          if (answer.status === 401 && route.action !== 'public') token = await logIn();
        }),
        tries(600),
      );
    },
    PROPERTY_MS,
  );

  it(
    'as a login',
    async () => {
      const reference = fc.record(
        {
          id: value,
          name: value,
          domain: fc.oneof(value, fc.record({ id: value, name: value }, { requiredKeys: [] })),
        },
        { requiredKeys: [] },
      );
      const user = fc.tuple(reference, value).map(([named, password]) => ({ ...named, password }));
      const credential = fc.record({ id: value, name: value, secret: value, user: reference }, { requiredKeys: [] });
      const login = fc.record(
        {
          identity: fc.record({
            methods: fc.oneof(
              fc.subarray(['password', 'token', 'application_credential', 'totp', '__proto__'], { minLength: 1 }),
              value,
            ),
            password: fc.oneof(
              user.map((given) => ({ user: given })),
              value,
            ),
            token: fc.oneof(fc.record({ id: value }), value),
            application_credential: fc.oneof(credential, value),
          }),
          scope: fc.oneof(
            value,
            fc.record({ project: reference }),
            fc.record({ domain: reference }),
            fc.record({ system: value }),
          ),
        },
        { requiredKeys: ['identity'] },
      );
      await fc.assert(
        fc.asyncProperty(login, async (auth) => {
          const answer = await neverADefect(() => send('POST', '/auth/tokens', { auth }));
          expect([400, 401, 404, 413, 429, 503]).toContain(answer.status);
          await stack.database.sql`delete from identity_login_failures`;
        }),
        tries(300),
      );
    },
    PROPERTY_MS,
  );
});

function memberOf(path: string): string {
  const [collection = ''] = path.split('/').slice(1);
  return path.includes('application_credentials') ? 'application_credential' : collection.replace(/s$/, '');
}
