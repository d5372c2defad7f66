/** Requests to a server with `auth_strategy = noauth`: who asks is what the headers say. */

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are about.
  readonly body: any;
}

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Asks as a member of the project; as the administrator where it is undefined. */
export function asking(url: string, project?: string): Ask {
  const who: Readonly<Record<string, string>> =
    project === undefined
      ? { 'x-user-id': 'root', 'x-project-id': 'admins', 'x-roles': 'admin,member,reader' }
      : { 'x-user-id': `user of ${project}`, 'x-project-id': project, 'x-roles': 'member,reader' };
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/v2.0/${path}`, {
      method,
      headers: { ...who, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
}
