/** Where clients start: which versions there are. */
import type { Reply } from './route.ts';

/** What every path of version 3 begins with. */
export const PREFIX = '/identity/v3';

const version = (origin: string) => ({
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: `${origin}${PREFIX}/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

/** `GET /identity`: 300, because there could be more than one. */
export function versionsAnswer(origin: string): Reply {
  return {
    status: 300,
    body: { versions: { values: [version(origin)] } },
    headers: { Location: `${origin}${PREFIX}/` },
  };
}

/** `GET /identity/v3` */
export function versionAnswer(origin: string): Reply {
  return { status: 200, body: { version: version(origin) } };
}
