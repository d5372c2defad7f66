/** A Keystone and a Nova behind a real port: tokens, a catalogue, and external events as Nova answers them. */
import { type Served, serve } from '../identity/support.ts';

export const PASSWORD = 'the secret of the service user';

export interface SentEvent {
  readonly server_uuid: string;
  readonly name: string;
  readonly status?: string;
  readonly tag: string;
}

const UUID = /^[0-9a-f-]{36}$/i;
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

export class Cloud {
  /** Instances that are on a host. */
  readonly instances = new Set<string>();
  /** Instances that are on none yet. */
  readonly unscheduled = new Set<string>();
  /** Requests with events, as they came. */
  readonly requests: (readonly SentEvent[])[] = [];
  /** Events that Nova has taken. */
  readonly taken: SentEvent[] = [];
  logins = 0;
  /** Tokens that are good now. */
  readonly tokens = new Set<string>();
  /** Answers in Nova's place, when it gives an answer. */
  instead: ((events: readonly SentEvent[]) => Promise<Response | undefined> | Response | undefined) | undefined;
  #served: Served | undefined;

  static async start(): Promise<Cloud> {
    const cloud = new Cloud();
    cloud.#served = await serve((request) => cloud.#answer(request));
    return cloud;
  }

  get origin(): string {
    return this.#served!.origin;
  }

  async stop(): Promise<void> {
    await this.#served?.stop();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/identity/v3/auth/tokens') return this.#login(await request.json());
    if (pathname === '/compute/v2.1/os-server-external-events') return await this.#events(request);
    return json(404, 'this is not the path of anything');
  }

  #login(body: Login): Response {
    const { user, password } = body.auth.identity.password.user.password
      ? { user: body.auth.identity.password.user.name, password: body.auth.identity.password.user.password }
      : { user: '', password: '' };
    if (user !== 'neutron' || password !== PASSWORD) return json(401, { error: { code: 401 } });
    this.logins += 1;
    const token = `token-${this.logins}`;
    this.tokens.add(token);
    const endpoint = (of: string, region: string, url: string) => ({ interface: of, region_id: region, region, url });
    const catalog = [
      { type: 'network', endpoints: [endpoint('public', 'one', 'http://127.0.0.1:1')] },
      {
        type: 'compute',
        endpoints: [
          endpoint('public', 'one', 'http://127.0.0.1:1'),
          endpoint('internal', 'two', 'http://127.0.0.1:1'),
          endpoint('public', 'two', `${this.origin}/compute/v2.1/`),
        ],
      },
    ];
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return json(201, { token: { expires_at, catalog } }, { 'X-Subject-Token': token });
  }

  async #events(request: Request): Promise<Response> {
    if (!this.tokens.has(request.headers.get('X-Auth-Token') ?? '')) return json(401, { error: { code: 401 } });
    const { events } = (await request.json()) as { readonly events: readonly SentEvent[] };
    this.requests.push(events);
    const instead = await this.instead?.(events);
    if (instead !== undefined) return instead;
    if (events.some(({ server_uuid }) => !UUID.test(server_uuid))) {
      return json(400, { badRequest: { code: 400, message: 'Invalid input for field/attribute server_uuid.' } });
    }
    const answered = events.map((event) => ({ ...event, ...this.#verdict(event) }));
    const taken = events.filter((_, index) => answered[index]?.code === 200);
    if (taken.length === 0) return json(404, { itemNotFound: { code: 404, message: 'No instances found' } });
    this.taken.push(...taken);
    return json(answered.every(({ code }) => code === 200) ? 200 : 207, { events: answered });
  }

  #verdict({ server_uuid }: SentEvent): { readonly code: number; readonly status: string } {
    if (this.instances.has(server_uuid)) return { code: 200, status: 'completed' };
    return { code: this.unscheduled.has(server_uuid) ? 422 : 404, status: 'failed' };
  }
}

interface Login {
  readonly auth: {
    readonly identity: { readonly password: { readonly user: { readonly name: string; readonly password: string } } };
  };
}

/** `[nova]` for the cloud. */
export const novaOptions = (cloud: Cloud) => ({
  auth_url: `${cloud.origin}/identity`,
  auth_type: 'password',
  username: 'neutron',
  password: PASSWORD,
  user_domain_name: 'Default',
  project_name: 'service',
  project_domain_name: 'Default',
  region_name: 'two',
});
