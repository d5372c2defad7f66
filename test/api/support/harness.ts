/** The API on the example plugin, with a policy, a quota and callers that tests can read at a glance. */
import { type Api, type ApiOptions, createApp } from '#src/api/mod.ts';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { defaultAttributeSettings } from '#src/lib/api/settings.ts';
import type { Identity } from '#src/lib/auth.ts';
import type { Config, OptionValue } from '#src/lib/config.ts';
import type { Context } from '#src/lib/context.ts';
import { NeutronError, OverQuota, PolicyNotAuthorized } from '#src/lib/errors.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { Policy, PolicyTarget } from '#src/lib/policy.ts';
import { AnswerCheck } from '../../support/openapi.ts';
import { createExample, type Example } from './example_plugin.ts';

type Check = (context: Context, target: PolicyTarget) => boolean;

const admin: Check = (context) => context.roles.includes('admin');
const owner: Check = (context, target) => context.project_id !== null && context.project_id === target['tenant_id'];
const member: Check = (context, target) =>
  admin(context, target) || (context.roles.includes('member') && owner(context, target));
const reader: Check = (context, target) =>
  admin(context, target) || owner(context, target) || target['shared'] === true;
const boxOwner: Check = (context, target) => context.project_id === target['box:project_id'];

export const RULES: Readonly<Record<string, Check>> = {
  context_is_admin: admin,
  service_api: (context) => context.roles.includes('service'),
  default: admin,
  get_box: reader,
  create_box: member,
  update_box: member,
  delete_box: member,
  'create_box:shared': admin,
  'update_box:shared': admin,
  'create_box:lids:colour': admin,
  'get_box:secret': admin,
  'get_box:paint:colour': (context, target) => admin(context, target) || owner(context, target),
  spin_box: member,
  get_wooden_thing: (context, target) => reader(context, target) || boxOwner(context, target),
  create_wooden_thing: (context, target) =>
    member(context, target) && (admin(context, target) || boxOwner(context, target)),
  delete_wooden_thing: (context, target) => member(context, target) || boxOwner(context, target),
  get_box_hinge: (context, target) => admin(context, target) || context.project_id === target['ext_parent:project_id'],
  create_box_hinge: (context, target) =>
    admin(context, target) || context.project_id === target['ext_parent:project_id'],
  update_box_hinge: admin,
  delete_box_hinge: admin,
  get_box_label: reader,
  update_box_label: member,
  delete_box_label: member,
  update_box_labels: member,
  delete_box_labels: member,
  get_order: admin,
  get_order_summary: () => true,
  summary: () => true,
};

const PARENTS: Readonly<Record<string, readonly string[]>> = {
  get_wooden_thing: ['box:project_id'],
  create_wooden_thing: ['box:project_id'],
  delete_wooden_thing: ['box:project_id'],
  get_box_hinge: ['ext_parent:project_id'],
  create_box_hinge: ['ext_parent:project_id'],
};

export function createPolicy(asked: string[] = []): Policy {
  const allows: Policy['allows'] = (context, rule, target) => {
    asked.push(rule);
    return (RULES[rule] ?? RULES['default']!)(context, target);
  };
  return {
    allows,
    defines: (rule) => Object.hasOwn(RULES, rule),
    parents: (rule) => PARENTS[rule] ?? [],
    parentsMayForbid: () => true,
    attributes: () => ['tenant_id', 'project_id', 'shared'],
    enforce(context, rule, target) {
      if (!allows(context, rule, target)) throw new PolicyNotAuthorized(`rule:${rule}`);
    },
  };
}

type Settings = Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;

/** The options' own defaults, but for those given by group and name. */
export function createConfig(settings: Settings = {}): Config {
  return configFrom(allOptions, settings);
}

const nobody: Identity = {
  user_id: 'u',
  user_name: null,
  user_domain_id: null,
  project_id: null,
  project_name: null,
  project_domain_id: null,
  system_scope: null,
  domain_id: null,
  roles: [],
};

/** Callers by token. */
const CALLERS: Readonly<Record<string, Identity>> = {
  admin: { ...nobody, project_id: 'p-admin', roles: ['admin', 'manager', 'member', 'reader'] },
  alice: { ...nobody, project_id: 'p1', roles: ['member', 'reader'] },
  bob: { ...nobody, project_id: 'p2', roles: ['member', 'reader'] },
  reader: { ...nobody, project_id: 'p1', roles: ['reader'] },
  nobody: { ...nobody, project_id: 'p1', roles: [] },
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, the text of one that is not JSON, or undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape are looked into by tests
  readonly body: any;
}

export interface Harness extends Example {
  readonly api: Api;
  readonly asked: string[];
  readonly logged: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
  call(
    method: string,
    path: string,
    options?: {
      readonly as?: string | null;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<Answer>;
}

export interface HarnessOptions {
  readonly config?: Settings;
  readonly options?: Partial<ApiOptions>;
}

/** Holds answers to the API's description, where the pipeline serves one to everybody. Asked for where nobody counts or logs. */
async function describeAnswers({ tracer: _, ...parts }: ApiOptions): Promise<AnswerCheck | undefined> {
  const response = await createApp({ ...parts, log: silentLogger, metrics: silentMetrics }).fetch(
    new Request('http://localhost:9696/v2.0/openapi.json'),
  );
  return response.status === 200 ? new AnswerCheck(await response.json()) : undefined;
}

export function createHarness({ config = {}, options = {} }: HarnessOptions = {}): Harness {
  const example = createExample();
  const asked: string[] = [];
  const logged: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const parts: ApiOptions = {
    plugins: [example.plugin],
    policy: createPolicy(asked),
    quota: {
      async check(_, project, deltas) {
        const used = [...example.boxes.values()].filter((box) => box['tenant_id'] === project).length;
        if (project === 'p2' && used + (deltas['box'] ?? 0) > 3) throw new OverQuota(['box']);
      },
      async charge() {},
      async count() {},
    },
    authenticator: {
      async authenticate(headers) {
        const caller = CALLERS[headers.get('x-auth-token') ?? ''];
        if (caller !== undefined) return caller;
        throw new NeutronError('HTTPUnauthorized', 401, 'The request you have made requires authentication.', {
          headers: { 'WWW-Authenticate': 'Keystone uri="http://localhost/identity"' },
        });
      },
    },
    config: createConfig(config),
    log: {
      ...silentLogger,
      info: (message, fields = {}) => logged.push({ message, fields }),
      error: (message, fields = {}) => logged.push({ message, fields }),
    },
    metrics: silentMetrics,
    clock: { now: () => 1_000_000 },
    settings: defaultAttributeSettings,
    ...options,
  };
  const api = createApp(parts);
  let check: Promise<AnswerCheck | undefined> | undefined;
  return {
    ...example,
    api,
    asked,
    logged,
    async call(method, path, { as = 'admin', body, headers = {} } = {}) {
      const response = await api.fetch(
        new Request(`http://localhost:9696${path}`, {
          method,
          headers: { ...(as === null ? {} : { 'X-Auth-Token': as }), ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
        { address: '192.0.2.1' },
      );
      const text = await response.text();
      const json = response.headers.get('content-type')?.startsWith('application/json');
      const answer = {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : json ? JSON.parse(text) : text,
      };
      if (json === true) {
        check ??= describeAnswers(parts);
        const fault = (await check)?.fault({ method, path }, { ...answer, text });
        if (fault !== undefined)
          throw new Error(`${method} ${path}: the answer is not as described: ${fault}\n${text}`);
      }
      return answer;
    },
  };
}
