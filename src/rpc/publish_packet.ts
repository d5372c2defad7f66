/** The PUBLISH and PUBACK packets of MQTT 5, as bytes: those of which there are thousands a second. */

/** What a PUBLISH says. */
export interface Publication {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
  readonly retain: boolean;
  /** Whole seconds. */
  readonly expiry?: number;
  readonly responseTopic?: string;
  readonly correlationData?: Uint8Array;
}

const PUBLISH = 0x30;
const PUBACK = 0x40;
const DUP = 0x08;
/** Identifiers of properties. */
const MESSAGE_EXPIRY = 0x02;
const RESPONSE_TOPIC = 0x08;
const CORRELATION_DATA = 0x09;

const encoder = new TextEncoder();

/** Writes into bytes from a place on. */
class Writer {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(value: number): void {
    this.#bytes[this.at++] = value;
  }

  uint16(value: number): void {
    this.byte(value >> 8);
    this.byte(value & 0xff);
  }

  uint32(value: number): void {
    this.uint16(value >>> 16);
    this.uint16(value & 0xffff);
  }

  /** A variable byte integer. */
  length(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.byte((rest & 0x7f) | 0x80);
    this.byte(rest);
  }

  raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** With its length before it. */
  data(bytes: Uint8Array): void {
    this.uint16(bytes.length);
    this.raw(bytes);
  }
}

/** How many bytes a variable byte integer takes. */
const sizeOfLength = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : 4);

/** Where a packet of so many bytes goes. */
export interface Room {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** Writes the whole packet to where `take` says; the id counts only with QoS 1. */
export function writePublish(
  publication: Publication,
  { id, dup }: { readonly id: number; readonly dup: boolean },
  take: (size: number) => Room,
): void {
  const { payload, qos, retain, expiry, correlationData } = publication;
  const topic = encoder.encode(publication.topic);
  const answer = publication.responseTopic === undefined ? undefined : encoder.encode(publication.responseTopic);
  const properties =
    (expiry === undefined ? 0 : 5) +
    (answer === undefined ? 0 : 3 + answer.length) +
    (correlationData === undefined ? 0 : 3 + correlationData.length);
  const rest = 2 + topic.length + (qos === 0 ? 0 : 2) + sizeOfLength(properties) + properties + payload.length;
  const { bytes, at } = take(1 + sizeOfLength(rest) + rest);
  const packet = new Writer(bytes, at);
  packet.byte(PUBLISH | (dup ? DUP : 0) | (qos << 1) | (retain ? 1 : 0));
  packet.length(rest);
  packet.data(topic);
  if (qos !== 0) packet.uint16(id);
  packet.length(properties);
  if (expiry !== undefined) {
    packet.byte(MESSAGE_EXPIRY);
    packet.uint32(expiry);
  }
  if (answer !== undefined) {
    packet.byte(RESPONSE_TOPIC);
    packet.data(answer);
  }
  if (correlationData !== undefined) {
    packet.byte(CORRELATION_DATA);
    packet.data(correlationData);
  }
  packet.raw(payload);
}

/** Says that a message of QoS 1 is dealt with. */
export function writePuback(id: number, take: (size: number) => Room): void {
  const { bytes, at } = take(4);
  const packet = new Writer(bytes, at);
  packet.byte(PUBACK);
  packet.byte(2);
  packet.uint16(id);
}
