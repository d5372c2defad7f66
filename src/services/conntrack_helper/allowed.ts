/** Which helpers routers may have, and for which protocols: `[DEFAULT] allowed_conntrack_helpers`. */
import type { Config } from '#src/lib/config.ts';
import { ConntrackHelperNotAllowed, InvalidProtocolForHelper } from './errors.ts';

/** Throws for a helper or protocol that is not allowed. */
export type CheckHelper = (helper: { readonly helper: string; readonly protocol: string }) => void;

/** The option names a helper once for each protocol: `tftp:udp, sip:tcp, sip:udp`. */
export function allowedHelpers(config: Config): CheckHelper {
  const allowed = new Map<string, string[]>();
  for (const text of config.list('DEFAULT', 'allowed_conntrack_helpers')) {
    const [helper = '', protocol = ''] = text.split(':').map((part) => part.trim());
    allowed.set(helper, [...(allowed.get(helper) ?? []), protocol]);
  }
  return ({ helper, protocol }) => {
    const protocols = allowed.get(helper);
    if (protocols === undefined) throw new ConntrackHelperNotAllowed(helper);
    if (!protocols.includes(protocol)) throw new InvalidProtocolForHelper(helper, protocol, protocols);
  };
}
