/** Plugins are made of parts, each in a folder of its own. */
import type { Plugin } from './plugin.ts';

/** What one part adds to its plugin. */
export type PluginPart = Partial<
  Omit<Plugin, 'type' | 'tagged' | 'rbac' | 'quotas' | 'presence' | 'together' | 'place' | 'unwire'>
>;

/** The parts as one; where two say the same name (a verb, a reader), the plugin would be ambiguous: an error. */
export function joinParts(parts: readonly PluginPart[]): Required<Omit<PluginPart, 'resources'>> {
  const tables = <Name extends 'verbs' | 'audiences' | 'readers'>(name: Name) => {
    const joined: Record<string, unknown> = {};
    for (const [key, value] of parts.flatMap((part) => Object.entries(part[name] ?? {}))) {
      if (Object.hasOwn(joined, key)) throw new Error(`two parts of a plugin have the ${name} '${key}'`);
      joined[key] = value;
    }
    return joined as NonNullable<PluginPart[Name]>;
  };
  return {
    extensions: parts.flatMap(({ extensions = [] }) => extensions),
    policies: parts.flatMap(({ policies = [] }) => policies),
    objects: parts.flatMap(({ objects = [] }) => objects),
    verbs: tables('verbs'),
    audiences: tables('audiences'),
    readers: tables('readers'),
    rpcListeners: () => parts.flatMap((part) => part.rpcListeners?.() ?? []),
    stateReportListeners: () => parts.flatMap((part) => part.stateReportListeners?.() ?? []),
    workers: () => parts.flatMap((part) => part.workers?.() ?? []),
  };
}
