/** What agents ask. A host learns of networks that have ports on it, and of no other: the host is the caller's identity. */
import { type Database, InvalidInput, isUuid, type JsonObject, type RpcListener } from '#src/plugin_api/mod.ts';
import { type NetworkContacts, REQUEST_TOPIC, RPC_VERSION } from './contract.ts';
import { contactsOnHost } from './store.ts';

const MOST = 1000;

export function contactListener(db: Database): RpcListener {
  return {
    topic: REQUEST_TOPIC,
    endpoints: [
      {
        version: RPC_VERSION,
        methods: {
          async get_network_contacts({ host }, args) {
            const rows = await contactsOnHost(db.sql, host, networkIds(args));
            const answer: NetworkContacts = Object.fromEntries(
              rows.map(({ network_id, contacts }) => [network_id, contacts]),
            );
            return answer as unknown as JsonObject;
          },
        },
      },
    ],
  };
}

function networkIds({ network_ids: ids }: JsonObject): readonly string[] {
  const good = Array.isArray(ids) && ids.length <= MOST && ids.every((id) => typeof id === 'string' && isUuid(id));
  if (!good) throw new InvalidInput(`network_ids must be a list of at most ${MOST} ids of networks`);
  return ids as readonly string[];
}
