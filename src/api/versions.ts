/** What the API says of itself: versions at `/`, the core resources at `/v2.0/`, the extensions that are served. */
import type { ExtensionDefinition } from '#src/lib/api/definition.ts';
import type { Plugin } from '#src/lib/plugin.ts';
import type { ServedExtensions } from './router/extensions.ts';

/** The only version, whose root is `/v2.0/`. */
export const API_ROOT = '/v2.0';

function link(href: string): unknown {
  return { rel: 'self', href };
}

/** The body of `/`. */
export function versions(base: string): unknown {
  return { versions: [{ id: 'v2.0', status: 'CURRENT', links: [link(`${base}${API_ROOT}/`)] }] };
}

/** The body of `/v2.0/`: the resources that are served without an extension. */
export function coreResources(plugins: readonly Plugin[], base: string): unknown {
  const definitions = plugins.flatMap((plugin) => plugin.resources ?? []).filter(({ parent }) => parent === undefined);
  return {
    resources: definitions.map(({ member, collection, path_prefix = '' }) => ({
      name: member,
      collection,
      links: [link(`${base}${API_ROOT}${path_prefix}/${collection.replaceAll('_', '-')}`)],
    })),
  };
}

function extension({ alias, name, description, updated }: ExtensionDefinition): unknown {
  return { name, alias, description, updated, links: [] };
}

/** The body of `/v2.0/extensions`. */
export function extensionList(served: ServedExtensions): unknown {
  return { extensions: [...served.values()].map(({ definition }) => extension(definition)) };
}

/** The body of `/v2.0/extensions/{alias}`; undefined for an alias that is not served. */
export function extensionShow(served: ServedExtensions, alias: string): unknown {
  const found = served.get(alias);
  return found === undefined ? undefined : { extension: extension(found.definition) };
}
