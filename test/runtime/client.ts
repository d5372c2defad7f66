/**
 * The API as a bare HTTP client sees it: one session of a user, its token at hand. What answers look like is held to the server's
 * own description.
 */
import { AnswerCheck } from '../support/openapi.ts';

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; empty where it is no JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What an error says. */
export interface Fault {
  readonly status: number;
  readonly type: unknown;
  readonly message: unknown;
}

const MEMBERS: Readonly<Record<string, string>> = { networks: 'network', subnets: 'subnet', ports: 'port' };

/** Sends one request; nothing is retried and no status is an error. */
export async function send(
  url: string,
  method: string,
  path: string,
  {
    body,
    headers = {},
  }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> | undefined } = {},
): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  const json = text !== '' && response.headers.get('Content-Type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

/** The body that asks for a token with a password, in a project of the Default domain. */
export const passwordLogin = (user: string, password: string, project: string) => ({
  auth: {
    identity: { methods: ['password'], password: { user: { name: user, domain: { id: 'default' }, password } } },
    scope: { project: { name: project, domain: { id: 'default' } } },
  },
});

export class Session {
  readonly url: string;
  readonly token: string;
  readonly #check: AnswerCheck | undefined;

  constructor(url: string, token: string, check?: AnswerCheck) {
    this.url = url;
    this.token = token;
    this.#check = check;
  }

  static async logIn(url: string, user: string, password: string, project: string): Promise<Session> {
    const answer = await send(url, 'POST', '/identity/v3/auth/tokens', {
      body: passwordLogin(user, password, project),
    });
    const token = answer.headers.get('X-Subject-Token');
    if (answer.status !== 201 || token === null)
      throw new Error(`${user} cannot log in: ${answer.status} ${answer.text}`);
    const description = await send(url, 'GET', '/v2.0/openapi.json');
    return new Session(url, token, new AnswerCheck(description.body as never));
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const answer = await send(this.url, method, path, { body, headers: { 'X-Auth-Token': this.token, ...headers } });
    const json = answer.headers.get('Content-Type')?.startsWith('application/json') === true;
    const fault = this.#check?.fault({ method, path }, { ...answer, body: json ? answer.body : undefined });
    if (fault !== undefined) throw new Error(`${method} ${path}: the answer is not as described: ${fault}`);
    return answer;
  }

  async #expect(status: number, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.send(method, path, body);
    if (answer.status !== status)
      throw new Error(`${method} ${path} gave ${answer.status}, not ${status}: ${answer.text}`);
    return answer;
  }

  /** `create('ports', {...})` */
  async create(collection: string, attributes: Readonly<Record<string, unknown>>): Promise<Row> {
    const member = MEMBERS[collection]!;
    const { body } = await this.#expect(201, 'POST', `/v2.0/${collection}`, { [member]: attributes });
    return body[member] as Row;
  }

  async createMany(collection: string, items: readonly Readonly<Record<string, unknown>>[]): Promise<readonly Row[]> {
    const { body } = await this.#expect(201, 'POST', `/v2.0/${collection}`, { [collection]: items });
    return body[collection] as readonly Row[];
  }

  async show(collection: string, id: string, query = ''): Promise<Row> {
    const { body } = await this.#expect(200, 'GET', `/v2.0/${collection}/${id}${query}`);
    return body[MEMBERS[collection]!] as Row;
  }

  async list(collection: string, query = ''): Promise<readonly Row[]> {
    const { body } = await this.#expect(200, 'GET', `/v2.0/${collection}${query}`);
    return body[collection] as readonly Row[];
  }

  async update(collection: string, id: string, attributes: Readonly<Record<string, unknown>>): Promise<Row> {
    const member = MEMBERS[collection]!;
    const { body } = await this.#expect(200, 'PUT', `/v2.0/${collection}/${id}`, { [member]: attributes });
    return body[member] as Row;
  }

  async remove(collection: string, id: string): Promise<void> {
    await this.#expect(204, 'DELETE', `/v2.0/${collection}/${id}`);
  }

  /** The error that a request must give. */
  async fault(method: string, path: string, body?: unknown): Promise<Fault> {
    const answer = await this.send(method, path, body);
    if (answer.status < 400) throw new Error(`${method} ${path} was not refused: ${answer.status} ${answer.text}`);
    const error = answer.body['NeutronError'] as { readonly type?: unknown; readonly message?: unknown } | undefined;
    return { status: answer.status, type: error?.type, message: error?.message };
  }

  /** Makes a project with one user who has the role `member` in it, and logs that user in. */
  async tenant(name: string): Promise<Session> {
    const make = async (kind: string, attributes: Readonly<Record<string, unknown>>): Promise<Row> => {
      const body = { [kind]: { name, domain_id: 'default', ...attributes } };
      return (await this.#expect(201, 'POST', `/identity/v3/${kind}s`, body)).body[kind] as Row;
    };
    const password = `secret of ${name}`;
    const project = await make('project', {});
    const user = await make('user', { password });
    const { body } = await this.#expect(200, 'GET', '/identity/v3/roles?name=member');
    const [role] = body['roles'] as readonly [Row];
    await this.#expect(204, 'PUT', `/identity/v3/projects/${project.id}/users/${user.id}/roles/${role.id}`);
    return Session.logIn(this.url, name, password, name);
  }
}
