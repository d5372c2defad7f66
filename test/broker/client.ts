/** MQTT.js as the tests use it: what arrives is kept, and a test waits for what it names. */
import net from 'node:net';
import mqtt, { type IClientOptions, type IConnackPacket, type IPublishPacket, type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';

export interface Arrived {
  readonly topic: string;
  readonly text: string;
  readonly packet: IPublishPacket;
}

const PATIENCE = 8000;

/** Waits for a condition, and says which one when it does not come true. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export class Client {
  readonly mqtt: MqttClient;
  readonly connack: IConnackPacket;
  readonly arrived: Arrived[] = [];
  /** Why the broker closed the connection. */
  disconnectReason: number | undefined;
  closed = false;

  private constructor(client: MqttClient, connack: IConnackPacket, early: readonly Arrived[]) {
    this.mqtt = client;
    this.connack = connack;
    this.arrived.push(...early);
    client.on('message', (topic, payload, packet) => this.arrived.push({ topic, text: payload.toString(), packet }));
    client.on('disconnect', (packet) => {
      this.disconnectReason = packet.reasonCode ?? 0;
    });
    client.on('close', () => {
      this.closed = true;
    });
    client.on('error', () => {});
  }

  /** Rejects with the broker's refusal (`code` is the reason code). */
  static connect(url: string, options: IClientOptions): Promise<Client> {
    const early: Arrived[] = [];
    const client = mqtt.connect(url, { protocolVersion: 5, reconnectPeriod: 0, connectTimeout: 5000, ...options });
    const keep = (topic: string, payload: Buffer, packet: IPublishPacket) =>
      early.push({ topic, text: payload.toString(), packet });
    client.on('message', keep);
    return new Promise((resolve, reject) => {
      client.once('connect', (connack) => {
        client.off('error', reject);
        client.off('message', keep);
        // MQTT.js leaves Nagle's algorithm on: each acknowledgement would wait 40 ms.
        if (client.stream instanceof net.Socket) client.stream.setNoDelay(true);
        resolve(new Client(client, connack, early));
      });
      client.once('error', reject);
      client.once('close', () => reject(new Error('the connection was closed before the CONNACK')));
    });
  }

  subscribe(filter: string, options: Parameters<MqttClient['subscribeAsync']>[1] = { qos: 1 }): Promise<unknown> {
    return this.mqtt.subscribeAsync(filter, options);
  }

  /** Resolves when the broker has acknowledged it; rejects with its refusal. */
  publish(topic: string, text: string | Buffer, options: Parameters<MqttClient['publishAsync']>[2] = { qos: 1 }) {
    return this.mqtt.publishAsync(topic, text, options);
  }

  texts(): string[] {
    return this.arrived.map((message) => message.text);
  }

  async waitFor(text: string): Promise<Arrived> {
    await until(`"${text}" arrives (there is: ${this.texts().join(', ').slice(0, 200)})`, () =>
      this.texts().includes(text),
    );
    return this.arrived.find((message) => message.text === text) as Arrived;
  }

  /** Says good-bye. */
  end(reasonCode = 0): Promise<void> {
    return this.mqtt.endAsync(false, { reasonCode });
  }

  /** The connection breaks without a word. */
  async breakOff(): Promise<void> {
    this.mqtt.stream.destroy();
    await until('the client has seen its connection break', () => this.closed);
    this.mqtt.end(true);
  }
}

/** A client that sends packets, or bytes, as it is told, and acknowledges nothing of itself. */
export class RawClient {
  readonly packets: Packet[] = [];
  closed = false;
  readonly socket: net.Socket;

  constructor(port: number) {
    this.socket = net.connect(port, '127.0.0.1');
    const reader = parser({ protocolVersion: 5 });
    reader.on('packet', (packet) => this.packets.push(packet));
    reader.on('error', () => {});
    this.socket.on('data', (bytes) => reader.parse(bytes));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
    });
  }

  send(packet: Packet): void {
    this.socket.write(generate(packet, { protocolVersion: 5 }));
  }

  async connect(options: Partial<Extract<Packet, { cmd: 'connect' }>> = {}): Promise<void> {
    this.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 5,
      clean: true,
      clientId: `raw-${crypto.randomUUID()}`,
      keepalive: 60,
      ...options,
    });
    await this.waitFor('connack');
  }

  async subscribe(topic: string, qos: 0 | 1 | 2 = 1): Promise<void> {
    this.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos, nl: false, rap: false, rh: 0 }] });
    await this.waitFor('suback');
  }

  get publishes(): IPublishPacket[] {
    return this.packets.filter((packet) => packet.cmd === 'publish');
  }

  async waitFor<Cmd extends Packet['cmd']>(cmd: Cmd): Promise<Extract<Packet, { cmd: Cmd }>> {
    await until(`a ${cmd} comes`, () => this.closed || this.packets.some((packet) => packet.cmd === cmd));
    const packet = this.packets.find((one) => one.cmd === cmd);
    if (packet === undefined) throw new Error(`the connection was closed without a ${cmd}`);
    return packet as Extract<Packet, { cmd: Cmd }>;
  }

  async waitForClose(): Promise<void> {
    await until('the broker closes the connection', () => this.closed);
  }

  destroy(): void {
    this.socket.destroy();
  }
}
