/**
 * Passwords: how they are made, hashed and checked. The hashed form is that of Mosquitto's password file (`$7$`:
 * PBKDF2-SHA512), so that one file serves either broker. A generated password has 256 random bits: no number of
 * iterations makes it harder to guess, so it gets few, and 2,000 agents that come back at once cost little. A password
 * that a person chose gets many.
 */
import { encodeHost, SERVER_USER } from './grants.ts';

/** What an agent logs in with. */
export interface Credential {
  readonly username: string;
  readonly password: string;
  /** The password is random, not chosen. */
  readonly generated: boolean;
}

const ITERATIONS = { generated: 1000, chosen: 210_000 };
/** What Mosquitto accepts. */
const SALT_BYTES = 12;
const HASH_BYTES = 64;
const HASHED = /^\$7\$([1-9][0-9]{0,7})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

/** A new random credential; the user name of an agent is its host, as it stands in topics. */
export function createCredential(host: string): Credential {
  const username = encodeHost(host);
  if (username === '') throw new Error('a credential needs a host');
  if (username === SERVER_USER) {
    throw new Error(`no agent's host can be "${SERVER_USER}": that user may do everything; name the host otherwise`);
  }
  return { username, password: randomPassword(), generated: true };
}

/** 256 random bits as text that needs no quoting anywhere. */
function randomPassword(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(32)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** The line's part after the user name. */
export async function hashPassword({ password, generated }: Omit<Credential, 'username'>): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  const iterations = generated ? ITERATIONS.generated : ITERATIONS.chosen;
  return `$7$${iterations}$${toBase64(salt)}$${toBase64(await derive(password, salt, iterations))}`;
}

/** Whether the text is a hashed password of ours. */
export function isHashed(text: string): boolean {
  return HASHED.test(text);
}

/** Whether the password is the one that was hashed. */
export async function verifyPassword(password: string, hashed: string): Promise<boolean> {
  const [, iterations, salt, hash] = HASHED.exec(hashed) ?? [];
  if (iterations === undefined || salt === undefined || hash === undefined) return false;
  return equal(await derive(password, fromBase64(salt), Number(iterations)), fromBase64(hash));
}

async function derive(password: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, ['deriveBits']);
  const parameters = { name: 'PBKDF2', hash: 'SHA-512', salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, HASH_BYTES * 8));
}

/** Takes the same time wherever they differ. */
export function equal(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
