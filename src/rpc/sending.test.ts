import fc from 'fast-check';
import { type IPublishPacket, type Packet, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { type Publication, writePublish } from './publish_packet.ts';
import { FIRST_ID, packetIds, Sending } from './sending.ts';

function read(bytes: Uint8Array): readonly Packet[] {
  const packets: Packet[] = [];
  const reader = parser({ protocolVersion: 5 });
  reader.on('packet', (packet) => packets.push(packet));
  reader.parse(Buffer.from(bytes));
  return packets;
}

/** The other end of a connection. */
class Broker {
  readonly packets: Packet[] = [];
  pieces = 0;
  write(bytes: Uint8Array): void {
    this.pieces += 1;
    this.packets.push(...read(bytes));
  }
  get publishes(): readonly IPublishPacket[] {
    return this.packets.filter((packet) => packet.cmd === 'publish');
  }
  get texts(): readonly string[] {
    return this.publishes.map(({ payload }) => payload.toString());
  }
}

const message = (text: string, more: Partial<Publication> = {}): Publication => ({
  topic: 'a/b',
  payload: new TextEncoder().encode(text),
  qos: 1,
  retain: false,
  ...more,
});
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('writePublish()', () => {
  it('writes what another implementation reads', () => {
    const bytes = fc.uint8Array({ maxLength: 20_000 });
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
    const properties = [optional(fc.integer({ min: 1, max: 0xffffffff })), optional(text), optional(bytes)] as const;
    const ids = fc.integer({ min: 1, max: 0xffff });
    fc.assert(
      fc.property(text, bytes, fc.constantFrom(0, 1), fc.boolean(), ids, ...properties, (...values) => {
        const [topic, payload, qos, retain, id, expiry, responseTopic, correlationData] = values;
        const dup = qos === 1 && retain;
        const written = { written: new Uint8Array() };
        const publication = {
          ...{ topic, payload, qos: qos as 0 | 1, retain },
          ...(expiry === undefined ? {} : { expiry }),
          ...(responseTopic === undefined ? {} : { responseTopic }),
          ...(correlationData === undefined ? {} : { correlationData }),
        };
        writePublish(publication, { id, dup }, (size) => {
          written.written = new Uint8Array(size);
          return { bytes: written.written, at: 0 };
        });
        const [packet] = read(written.written) as readonly IPublishPacket[];
        expect(packet).toMatchObject({
          cmd: 'publish',
          topic,
          qos,
          retain,
          dup,
          ...(qos === 1 ? { messageId: id } : {}),
        });
        expect([...(packet!.payload as Uint8Array)]).toEqual([...payload]);
        expect(packet!.properties?.messageExpiryInterval).toBe(expiry);
        expect(packet!.properties?.responseTopic).toBe(responseTopic);
        expect(packet!.properties?.correlationData && [...packet!.properties.correlationData]).toEqual(
          correlationData && [...correlationData],
        );
      }),
    );
  });
});

describe('Sending', () => {
  it('sends what is published in one turn in one piece, and resolves with the answers', async () => {
    const [sending, broker] = [new Sending(), new Broker()];
    sending.connected(broker, 100);
    const sent = ['1', '2', '3'].map((text) => sending.publish(message(text)));
    sending.acknowledge(7, broker);
    await turn();
    expect(broker.pieces).toBe(1);
    expect(broker.texts).toEqual(['1', '2', '3']);
    expect(broker.packets.at(-1)).toMatchObject({ cmd: 'puback', messageId: 7 });
    for (const [index, { messageId }] of broker.publishes.entries()) sending.acknowledged(messageId!, index * 16);
    expect(await Promise.all(sent)).toEqual([0, 16, 32]);
    await sending.settled();
  });

  it('keeps to what the broker takes unacknowledged', async () => {
    const [sending, broker] = [new Sending(), new Broker()];
    sending.connected(broker, 2);
    const sent = Promise.all(['1', '2', '3', '4', '5'].map((text) => sending.publish(message(text))));
    for (let done = 0; done < 5; done += 1) {
      await turn();
      expect(broker.publishes.length).toBe(Math.min(done + 2, 5));
      sending.acknowledged(broker.publishes[done]!.messageId!, 0);
    }
    await sent;
    expect(broker.texts).toEqual(['1', '2', '3', '4', '5']);
  });

  it('sends again on the next connection what was not acknowledged, before what came meanwhile', async () => {
    const [sending, before, after] = [new Sending(), new Broker(), new Broker()];
    sending.connected(before, 2);
    const sent = ['1', '2', '3'].map((text) => sending.publish(message(text)));
    await turn();
    const [first] = before.publishes;
    sending.acknowledged(first!.messageId!, 0);
    sending.disconnected();
    sent.push(sending.publish(message('4')));
    sending.acknowledge(9, before);
    sending.connected(after, 100);
    await turn();
    expect(after.texts).toEqual(['2', '3', '4']);
    expect(after.publishes.map(({ dup }) => dup)).toEqual([true, true, false]);
    for (const { messageId } of after.publishes) sending.acknowledged(messageId!, 0);
    expect(await Promise.all(sent)).toEqual([0, 0, 0, 0]);
  });

  it('loses messages of QoS 0 without a connection, and rejects what is pending at the end', async () => {
    const sending = new Sending();
    await expect(sending.publish(message('0', { qos: 0 }))).rejects.toThrow('no connection');
    const pending = sending.publish(message('1'));
    sending.end();
    await expect(pending).rejects.toThrow('ended');
    await sending.settled();
  });

  it('sends packets that are larger than a piece of memory, in order', async () => {
    const [sending, broker] = [new Sending(), new Broker()];
    sending.connected(broker, 100);
    const texts = ['a', 'b'.repeat(100_000), 'c', 'd'.repeat(60_000), 'e'.repeat(60_000), 'f'];
    for (const text of texts) void sending.publish(message(text));
    await turn();
    expect(broker.texts.map((text) => text[0])).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(broker.texts.map(({ length }) => length)).toEqual(texts.map(({ length }) => length));
  });
});

describe('packetIds()', () => {
  it('gives ids that are free, and never those of messages', () => {
    const ids = packetIds();
    const taken = Array.from({ length: FIRST_ID - 1 }, () => ids.allocate());
    expect(new Set(taken).size).toBe(FIRST_ID - 1);
    expect(Math.max(...taken.map(Number))).toBe(FIRST_ID - 1);
    expect(ids.allocate()).toBeNull();
    ids.deallocate(5);
    expect(ids.allocate()).toBe(5);
    ids.clear();
    expect(ids.register(3)).toBe(true);
    expect(ids.register(3)).toBe(false);
  });
});
