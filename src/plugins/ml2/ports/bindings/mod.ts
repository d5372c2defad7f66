/** Bindings of a port on several hosts, one of them active (live migration): `/v2.0/ports/{port_id}/bindings`. */
import type { Logger } from '#src/lib/log.ts';
import type { Verb } from '#src/lib/plugin.ts';
import type { PluginPart } from '#src/lib/plugin_parts.ts';
import type { Ml2 } from '../../state.ts';
import { bindingExtensions } from './definition.ts';
import { bindingVerbs } from './service.ts';

/** The part; `updatePort` is the verb that changes what a port's active binding is made for. */
export function portBindings(ml2: Ml2 & { readonly log: Logger }, updatePort: Verb): PluginPart {
  return { extensions: bindingExtensions, verbs: bindingVerbs(ml2, ml2.log, updatePort) };
}
