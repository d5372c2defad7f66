import fc from 'fast-check';
import { generate, type Packet } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { PacketReader } from './packet_reader.ts';
import { ProtocolViolation } from './reasons.ts';

const CONNECT: Packet = { cmd: 'connect', clientId: 'c', protocolVersion: 5, clean: true };
const publish = (payload: string): Packet => ({
  cmd: 'publish',
  topic: 't',
  payload,
  qos: 0,
  dup: false,
  retain: false,
});
const bytesOf = (...packets: Packet[]) =>
  new Uint8Array(Buffer.concat(packets.map((packet) => generate(packet, { protocolVersion: 5 }))));

function readAll(reader: PacketReader): Packet[] {
  const packets: Packet[] = [];
  for (let packet = reader.next(); packet !== null; packet = reader.next()) packets.push(packet);
  return packets;
}

test('PacketReader gives the same packets however the bytes are cut', () => {
  const payloads = fc.array(fc.string({ maxLength: 300 }), { maxLength: 6 });
  fc.assert(
    fc.property(payloads, fc.array(fc.integer({ min: 1, max: 200 })), (texts, sizes) => {
      const bytes = bytesOf(CONNECT, ...texts.map(publish));
      const reader = new PacketReader(10_000);
      const packets: Packet[] = [];
      for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
        const size = sizes[cut] ?? bytes.length;
        reader.append(bytes.slice(at, at + size));
        at += size;
        packets.push(...readAll(reader));
      }
      const seen = packets.map((packet) => (packet.cmd === 'publish' ? packet.payload.toString() : packet.cmd));
      expect(seen).toEqual(['connect', ...texts]);
      expect(reader.buffered).toBe(0);
    }),
  );
});

test('PacketReader keeps a payload although later bytes come', () => {
  const reader = new PacketReader(10_000);
  const bytes = bytesOf(CONNECT, publish('first'), publish('second'));
  reader.append(bytes.slice(0, 20));
  const packets = readAll(reader);
  reader.append(bytes.slice(20, bytes.length - 3));
  packets.push(...readAll(reader));
  reader.append(bytes.slice(bytes.length - 3));
  packets.push(...readAll(reader));
  bytes.fill(0);
  expect(packets.slice(1).map((packet) => ('payload' in packet ? packet.payload.toString() : ''))).toEqual([
    'first',
    'second',
  ]);
});

test('PacketReader refuses a packet by the length it announces', () => {
  const reader = new PacketReader(1000);
  reader.append(Uint8Array.of(0x30, 0xe9, 0x07));
  expect(() => reader.next()).toThrow(/1004 bytes/);
});

test('PacketReader throws nothing but ProtocolViolation, whatever comes', () => {
  const connected = bytesOf(CONNECT);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.constantFrom(1, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15),
      (bytes, type) => {
        const reader = new PacketReader(200);
        reader.append(connected);
        readAll(reader);
        reader.append(Uint8Array.of((type << 4) | ([6, 8, 10].includes(type) ? 2 : 0), bytes.length, ...bytes));
        try {
          readAll(reader);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolViolation);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
