/** What travels between the plugin and agents: topics, methods and their arguments. Agents may import this file alone. */

/** Agents ask here: `get_network_contacts({network_ids})` gives NetworkContacts by network id. */
export const REQUEST_TOPIC = 'network-contacts-plugin';
/** Agents that have ports of a network are told `network_contacts_changed({network_id})`, and then ask. */
export const CHANGE_TOPIC = 'network-contacts-agent';
export const RPC_VERSION = '1.0';

/** What an agent learns of a contact. */
export interface AgentContact {
  readonly name: string;
  readonly email: string;
  readonly notify: boolean;
}

/** Contacts by network id; a network without any is there with an empty list, one that is not the host's is absent. */
export type NetworkContacts = Readonly<Record<string, readonly AgentContact[]>>;
