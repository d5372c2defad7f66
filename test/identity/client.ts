/** A client of Identity v3 for tests: plain requests, over a handler or over HTTP. */
export type Handler = (request: Request) => Promise<Response>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, Body>;
}

/** JSON as a test looks into it. */
export type Body = { readonly [key: string]: Body } & { readonly length: number } & readonly Body[] & string;

export interface ClientOptions {
  /** The URL that ends in `/v3`. */
  readonly base: string;
  readonly handler?: Handler;
}

export type Scope = Readonly<Record<string, unknown>> | 'unscoped' | undefined;

export class IdentityClient {
  readonly #base: string;
  readonly #handler: Handler;

  constructor({ base, handler = (request) => fetch(request) }: ClientOptions) {
    this.#base = base;
    this.#handler = handler;
  }

  async call(
    method: string,
    path: string,
    options: { token?: string; body?: unknown; subject?: string } = {},
  ): Promise<Answer> {
    const headers = new Headers();
    if (options.token !== undefined) headers.set('X-Auth-Token', options.token);
    if (options.subject !== undefined) headers.set('X-Subject-Token', options.subject);
    if (options.body !== undefined) headers.set('Content-Type', 'application/json');
    const body = options.body === undefined ? null : JSON.stringify(options.body);
    const response = await this.#handler(new Request(`${this.#base}${path}`, { method, headers, body }));
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  /** A login by identity methods; the token is in the header. */
  login(identity: Readonly<Record<string, unknown>>, scope?: Scope): Promise<Answer> {
    const auth = { identity, ...(scope === undefined ? {} : { scope }) };
    return this.call('POST', '/auth/tokens', { body: { auth } });
  }

  /** The token that a password opens. */
  async passwordToken(user: Readonly<Record<string, unknown>>, scope?: Scope): Promise<string> {
    return tokenOf(await this.login({ methods: ['password'], password: { user } }, scope));
  }

  /** Creates and gives back the object. */
  async create(
    token: string,
    collection: string,
    member: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<Body> {
    const answer = await this.call('POST', `/${collection}`, { token, body: { [member]: body } });
    if (answer.status !== 201) throw new Error(`POST ${collection}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body[member]!;
  }

  /** A call that must end with this status. */
  async expect(status: number, method: string, path: string, token: string, body?: unknown): Promise<Answer> {
    const answer = await this.call(method, path, { token, ...(body === undefined ? {} : { body }) });
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path}: ${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
  }

  async roleId(token: string, name: string): Promise<string> {
    const { body } = await this.expect(200, 'GET', `/roles?name=${name}`, token);
    return body['roles']![0]!['id']!;
  }
}

export function tokenOf(answer: Answer): string {
  const token = answer.headers.get('X-Subject-Token');
  if (token === null) throw new Error(`no token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return token;
}
