/**
 * The brokers that one suite runs against, and what sets them apart. A difference is named here and its tests say so;
 * everything else must be the same. Mosquitto's versions differ: what one does not promise, another may still do.
 */
import { addUser } from '#src/broker/mod.ts';
import type { Files } from '#src/lib/runtime.ts';
import { Client, RawClient } from './client.ts';
import { startEmbedded } from './embedded.ts';
import { findMosquitto, startMosquitto } from './mosquitto.ts';

/** What a broker promises; where it does not, its suite checks the effect alone (nothing forged, nothing overheard). */
export interface Capabilities {
  /** What a member of a shared subscription has not acknowledged when its connection breaks goes to another member. */
  readonly redeliversToGroup: boolean;
  /** A SUBSCRIBE that is not allowed is refused with 0x87; else it may be granted, and nothing comes. */
  readonly refusesSubscriptions: boolean;
  /** A CONNECT whose will is not allowed is refused with 0x87; else the will may just not be published. */
  readonly refusesWills: boolean;
  /** A client whose session is taken over is told so (0x8E); else its connection may just be closed. */
  readonly saysTakenOver: boolean;
  /** A client id belongs to the user that has a session by it (another is refused with 0x85). */
  readonly bindsClientIds: boolean;
  /** The reason for a wrong password, in MQTT 5 and 3.1.1. */
  readonly wrongPassword: { readonly v5: number; readonly v4: number };
}

export interface RunningBroker {
  readonly port: number;
  readonly wsPort: number | undefined;
  stop(): Promise<void>;
}

export interface BrokerKind {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly start: (passwords: string) => Promise<RunningBroker>;
}

const EMBEDDED: BrokerKind = {
  name: 'the embedded broker',
  start: startEmbedded,
  capabilities: {
    redeliversToGroup: true,
    refusesSubscriptions: true,
    refusesWills: true,
    saysTakenOver: true,
    bindsClientIds: true,
    wrongPassword: { v5: 0x86, v4: 4 },
  },
};

const MOSQUITTO: BrokerKind = {
  name: 'Mosquitto',
  start: startMosquitto,
  capabilities: {
    redeliversToGroup: false,
    refusesSubscriptions: false,
    refusesWills: false,
    saysTakenOver: false,
    bindsClientIds: false,
    wrongPassword: { v5: 0x87, v4: 5 },
  },
};

/** Mosquitto may be absent, unless NUCLEON_TEST_MOSQUITTO=required. */
export const MUST_HAVE_MOSQUITTO = process.env['NUCLEON_TEST_MOSQUITTO'] === 'required';
export const HAS_MOSQUITTO = findMosquitto() !== null;

/** The kinds, with whether their suite can run here. */
export const BROKERS: readonly (BrokerKind & { readonly present: boolean })[] = [
  { ...EMBEDDED, present: true },
  { ...MOSQUITTO, present: HAS_MOSQUITTO || MUST_HAVE_MOSQUITTO },
];

export const P = 'neutron/v1';
/** Users of the suite; the third is the host `rack 7/node`. */
export const USERS = ['server', 'host-a', 'host-b', 'rack%207%2Fnode'] as const;
export type User = (typeof USERS)[number];

export const passwordOf = (username: string) => `the password of ${username}`;

/** The password file of these users. */
export async function passwordFile(usernames: readonly string[] = USERS): Promise<string> {
  const files = memoryFiles();
  for (const username of usernames) {
    await addUser(files, 'passwd', { username, password: passwordOf(username), generated: true });
  }
  return files.read('passwd');
}

/** Connects a user. */
export function connect(
  broker: RunningBroker,
  username: User,
  options: Parameters<typeof Client.connect>[1] = {},
): Promise<Client> {
  return Client.connect(`mqtt://127.0.0.1:${broker.port}`, {
    username,
    password: passwordOf(username),
    clientId: `${username}-${crypto.randomUUID()}`,
    ...options,
  });
}

/** Connects a user by hand. */
export async function connectRaw(
  broker: RunningBroker,
  username: User,
  options: Parameters<RawClient['connect']>[0] = {},
): Promise<RawClient> {
  const client = new RawClient(broker.port);
  await client.connect({ username, password: Buffer.from(passwordOf(username)), ...options });
  return client;
}

/** Files that are only remembered. */
export function memoryFiles(): Files {
  const texts = new Map<string, string>();
  return {
    read: async (path) => {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`there is no ${path}`);
      return text;
    },
    write: async (path, text) => void texts.set(path, text),
    exists: async (path) => texts.has(path),
    list: async () => [...texts.keys()],
    makeDirectory: async () => {},
    remove: async (path) => void texts.delete(path),
  };
}
