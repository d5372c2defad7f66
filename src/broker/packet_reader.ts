/**
 * Cuts a connection's bytes into packets and checks what mqtt-packet does not. Only whole packets reach its parser, one
 * at a time: it would read past a packet's end into the next one, and it throws where a length lies. Each packet is
 * copied out of the chunk it came in, so that a small message that is kept never pins a large buffer.
 */
import { type Packet, type Parser, parser } from 'mqtt-packet';
import { ProtocolViolation, REASON } from './reasons.ts';
import { isText } from './topics.ts';

/** Packet types that a client may send: CONNECT, PUBLISH, the four acknowledgements, SUBSCRIBE ... AUTH. */
const FROM_CLIENTS: ReadonlySet<number> = new Set([1, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15]);
/** These carry a packet identifier, which is never 0 (PUBLISH with QoS 0 apart). */
const IDENTIFIED: ReadonlySet<string> = new Set(['puback', 'pubrec', 'pubrel', 'pubcomp', 'subscribe', 'unsubscribe']);
/** The first byte of a PUBACK; without a reason and properties it has four. */
const PUBACK = 0x40;
const NOTHING = new Uint8Array(0);

export class PacketReader {
  /** Lowered until the client is known: a stranger may not make us keep much. */
  maxPacketSize: number;
  readonly #parser: Parser = parser({});
  #packet: Packet | undefined;
  #failure: Error | undefined;
  #buffer: Uint8Array = NOTHING;
  #start = 0;
  #end = 0;
  /** The buffer is a chunk of the connection's: never written into. */
  #foreign = true;

  constructor(maxPacketSize: number) {
    this.maxPacketSize = maxPacketSize;
    this.#parser.on('packet', (packet) => {
      this.#packet = packet;
    });
    this.#parser.on('error', (error: Error) => {
      this.#failure = error;
    });
  }

  /** Bytes that wait to be read. */
  get buffered(): number {
    return this.#end - this.#start;
  }

  append(chunk: Uint8Array): void {
    if (this.#start === this.#end) {
      this.#buffer = chunk;
      this.#start = 0;
      this.#end = chunk.length;
      this.#foreign = true;
      return;
    }
    const waiting = this.#end - this.#start;
    if (this.#foreign || this.#end + chunk.length > this.#buffer.length) {
      // Doubling: a large packet that comes byte by byte is not copied once for every byte.
      const grown = new Uint8Array(Math.max(2 * waiting, waiting + chunk.length, 256));
      grown.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = grown;
      this.#start = 0;
      this.#end = waiting;
      this.#foreign = false;
    }
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** The next whole packet, or null; throws ProtocolViolation. */
  next(): Packet | null {
    const available = this.#end - this.#start;
    if (available < 2) return null;
    const type = (this.#buffer[this.#start] ?? 0) >> 4;
    if (!FROM_CLIENTS.has(type)) {
      throw new ProtocolViolation(REASON.protocolError, `packet type ${type} is not a client's to send`);
    }
    let length = 0;
    let header = 1;
    for (let shift = 0; ; shift += 7) {
      if (header === 5) throw new ProtocolViolation(REASON.malformedPacket, 'the remaining length has over four bytes');
      if (header >= available) return null;
      const byte = this.#buffer[this.#start + header] ?? 0;
      header += 1;
      length += (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const total = header + length;
    if (total > this.maxPacketSize) {
      throw new ProtocolViolation(
        REASON.packetTooLarge,
        `a packet of ${total} bytes is over the ${this.maxPacketSize} that are allowed`,
      );
    }
    if (available < total) return null;
    const bytes = this.#buffer.slice(this.#start, this.#start + total);
    this.#start += total;
    if (this.#start === this.#end) this.#buffer = NOTHING;
    return this.#parse(bytes);
  }

  #parse(bytes: Uint8Array): Packet {
    // Every message that is delivered brings one.
    if (bytes.length === 4 && bytes[0] === PUBACK) {
      const messageId = ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0);
      if (messageId > 0) return { cmd: 'puback', messageId };
    }
    this.#packet = undefined;
    this.#failure = undefined;
    try {
      this.#parser.parse(bytes as Parameters<Parser['parse']>[0]);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    if (this.#failure !== undefined) throw new ProtocolViolation(REASON.malformedPacket, this.#failure.message);
    if (this.#packet === undefined) throw new ProtocolViolation(REASON.malformedPacket, 'the packet ends too early');
    check(this.#packet);
    return this.#packet;
  }
}

function check(packet: Packet): void {
  const identified = packet.cmd === 'publish' ? packet.qos > 0 : IDENTIFIED.has(packet.cmd);
  // mqtt-packet reads -1 where the bytes end.
  if (identified && !((packet.messageId ?? 0) > 0)) {
    throw new ProtocolViolation(REASON.malformedPacket, `${packet.cmd} without a packet identifier`);
  }
  if ('properties' in packet) checkProperties(packet.properties);
  if (packet.cmd === 'connect') checkProperties(packet.will?.properties);
}

/** mqtt-packet gives null, undefined or -1 where a property is cut off, and a list where one stands twice. */
function checkProperties(properties: object | undefined): void {
  if (properties === undefined) return;
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'userProperties') {
      for (const texts of Object.values(value)) {
        for (const text of Array.isArray(texts) ? texts : [texts]) {
          if (typeof text !== 'string')
            throw new ProtocolViolation(REASON.malformedPacket, 'a user property is cut off');
        }
      }
    } else if (Array.isArray(value)) {
      throw new ProtocolViolation(REASON.protocolError, `the property ${name} stands twice`);
    } else if (value === null || value === undefined || value === -1) {
      throw new ProtocolViolation(REASON.malformedPacket, `the property ${name} is cut off`);
    } else if (typeof value === 'string' && !isText(value)) {
      throw new ProtocolViolation(REASON.malformedPacket, `the property ${name} is no proper text`);
    }
  }
}
