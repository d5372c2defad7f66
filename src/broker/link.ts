/**
 * One network connection.
 *
 *   opening --CONNECT--> authenticating --user known, CONNACK--> open --DISCONNECT, error, time-out--> closed
 *
 * While the user is being checked, bytes wait in the reader. Once open, packets go to `requests`. A packet that breaks
 * the protocol ends its own connection with the reason and nothing else.
 */
import { generate, type IDisconnectPacket, type Packet } from 'mqtt-packet';
import type { Clock } from '#src/lib/clock.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Connection } from '#src/lib/runtime.ts';
import { type ConnectRequest, readConnect, refuseWill } from './connect.ts';
import type { Hub } from './hub.ts';
import type { BrokerLimits } from './limits.ts';
import { type Delivery, encodePublish } from './message.ts';
import { Outgoing } from './outgoing.ts';
import { PacketReader } from './packet_reader.ts';
import { ProtocolViolation, REASON, type Reason, returnCode } from './reasons.ts';
import { Requests } from './requests.ts';
import type { Outlet, Session } from './session.ts';
import type { Stats } from './stats.ts';
import type { UserStore } from './users.ts';

export interface LinkParts {
  readonly hub: Hub;
  readonly users: UserStore;
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stats: Stats;
  /** Whether another client may be served now. */
  hasRoom(): boolean;
  closed(link: Link): void;
}

/** A CONNECT with a will fits; a stranger's larger packets are refused. */
const MAX_CONNECT = 160 * 1024;
/** A client that takes only small packets gets no texts. */
const ROOM_FOR_TEXT = 512;

export class Link implements Outlet {
  readonly #parts: LinkParts;
  readonly #connection: Connection;
  readonly #outgoing: Outgoing;
  readonly #reader = new PacketReader(MAX_CONNECT);
  #state: 'opening' | 'authenticating' | 'open' | 'closed' = 'opening';
  #request: ConnectRequest | undefined;
  #session: Session | undefined;
  #requests: Requests | undefined;
  #deadline: number;

  constructor(connection: Connection, parts: LinkParts) {
    this.#connection = connection;
    this.#outgoing = new Outgoing(connection);
    this.#parts = parts;
    this.#deadline = parts.clock.now() + parts.limits.connectTimeout;
    connection.onData((bytes) => this.#onData(bytes));
    connection.onClose(() => this.#closed(true));
  }

  get window(): number {
    return this.#request?.window ?? 0;
  }

  get backlog(): number {
    return this.#outgoing.backlog;
  }

  publish(delivery: Delivery, messageId: number, dup: boolean): boolean {
    const request = this.#request;
    if (request === undefined || this.#state === 'closed') return true;
    const now = this.#parts.clock.now();
    const bytes = encodePublish(delivery, { version: request.version, messageId, dup, now });
    if (bytes.length > request.maxPacketSize) {
      this.#parts.stats.drop('too large');
      return false;
    }
    this.#parts.stats.sent[delivery.qos] = (this.#parts.stats.sent[delivery.qos] ?? 0) + 1;
    this.#outgoing.write(bytes);
    return true;
  }

  release(messageId: number): void {
    this.#send({ cmd: 'pubrel', messageId, reasonCode: REASON.success });
  }

  end(reason: Reason, message: string): void {
    this.#end(reason, message, true);
  }

  /** The broker stops: nobody is left to send the will to. */
  shutDown(): void {
    this.#end(REASON.serverShuttingDown, 'the broker stops', false);
  }

  /** Closes the connection if its time is up. */
  tick(now: number): void {
    if (now > this.#deadline) {
      if (this.#state === 'open') this.end(REASON.keepAliveTimeout, 'nothing was heard of the client for too long');
      else this.#end(REASON.unspecified, 'no CONNECT came in time', false);
    } else if (this.#connection.buffered > this.#parts.limits.deadReaderBytes) {
      this.end(REASON.quotaExceeded, 'the client does not read what it is sent');
    }
  }

  #onData(bytes: Uint8Array): void {
    if (this.#state === 'closed') return;
    this.#reader.append(bytes);
    this.#heard();
    this.#drain();
    if (this.#reader.buffered > 2 * this.#parts.limits.maxPacketSize) {
      this.#end(REASON.packetTooLarge, 'too much was sent before the CONNACK', false);
    }
  }

  #heard(): void {
    const keepAlive = this.#request?.keepAlive;
    if (this.#state !== 'open' || keepAlive === undefined) return;
    this.#deadline = keepAlive === 0 ? Number.POSITIVE_INFINITY : this.#parts.clock.now() + keepAlive * 1500;
  }

  #drain(): void {
    try {
      while (this.#state === 'opening' || this.#state === 'open') {
        const packet = this.#reader.next();
        if (packet === null) return;
        this.#handle(packet);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolViolation) {
      this.#parts.stats.violation();
      this.#parts.log.info('an MQTT client broke the protocol', { ...this.#who(), problem: error.message });
      this.#end(error.reason, error.message, true);
      return;
    }
    this.#parts.log.error('an MQTT packet could not be handled', { ...this.#who(), error });
    this.#end(REASON.unspecified, 'the broker failed to handle a packet', true);
  }

  #handle(packet: Packet): void {
    if (packet.cmd === 'connect') {
      if (this.#state !== 'opening') throw new ProtocolViolation(REASON.protocolError, 'a second CONNECT');
      void this.#open(
        readConnect(packet, this.#parts.limits, this.#parts.clock.now(), () => `auto-${crypto.randomUUID()}`),
        packet.protocolVersion === 5,
      );
      return;
    }
    const [session, requests] = [this.#session, this.#requests];
    if (session === undefined || requests === undefined) {
      throw new ProtocolViolation(REASON.protocolError, `${packet.cmd} before CONNECT`);
    }
    switch (packet.cmd) {
      case 'pingreq':
        this.#send({ cmd: 'pingresp' });
        return;
      case 'disconnect':
        this.#onDisconnect(session, packet);
        return;
      default:
        requests.handle(packet);
    }
  }

  #onDisconnect(session: Session, { properties, reasonCode = REASON.success }: IDisconnectPacket): void {
    const expiry = properties?.sessionExpiryInterval;
    if (expiry !== undefined) {
      if (session.expiry === 0 && expiry > 0) {
        throw new ProtocolViolation(REASON.protocolError, 'a session that is not kept cannot be kept at the end');
      }
      session.expiry = Math.min(expiry, this.#parts.limits.maxSessionExpiry);
    }
    this.#closed(reasonCode !== REASON.success);
  }

  async #open(request: ReturnType<typeof readConnect>, isVersion5: boolean): Promise<void> {
    this.#state = 'authenticating';
    if ('reason' in request) return this.#refuse(isVersion5, request.reason, request.message);
    this.#request = request;
    const { users, hub, log, limits } = this.#parts;
    if (!this.#parts.hasRoom())
      return this.#refuse(isVersion5, REASON.serverBusy, 'the broker has no room for more clients');
    let grant: Awaited<ReturnType<UserStore['authenticate']>>;
    try {
      grant = await users.authenticate(request.username, request.password, this.#connection.remote);
    } catch (error) {
      log.error('the user of an MQTT client could not be checked', { ...this.#who(), error });
      return this.#refuse(isVersion5, REASON.serverUnavailable, 'users cannot be checked now');
    }
    if (this.#state !== 'authenticating') return;
    if (grant === null) {
      log.warn('an MQTT client was refused: wrong user name or password', this.#who());
      return this.#refuse(isVersion5, REASON.badUserNameOrPassword, 'wrong user name or password');
    }
    const denied = refuseWill(request.will, grant);
    if (denied !== null) return this.#refuse(isVersion5, denied.reason, denied.message);
    const opened = hub.open({ ...request, grant });
    if (opened.kind === 'refused') return this.#refuse(isVersion5, opened.reason, opened.message);
    log.debug('an MQTT client connected', { ...this.#who(), session_present: opened.present });
    this.#state = 'open';
    this.#session = opened.session;
    this.#requests = new Requests(opened.session, {
      ...this.#parts,
      version: request.version,
      send: (packet) => this.#send(packet),
      who: this.#who(),
    });
    this.#reader.maxPacketSize = limits.maxPacketSize;
    this.#heard();
    this.#send({
      cmd: 'connack',
      sessionPresent: opened.present,
      ...(isVersion5 ? { reasonCode: REASON.success, properties: request.answer } : { returnCode: 0 }),
    });
    opened.session.connect(this);
    this.#drain();
  }

  #refuse(isVersion5: boolean, reason: Reason, message: string): void {
    if (this.#state === 'closed') return;
    this.#parts.stats.refused(reasonName(reason));
    this.#parts.log.info('an MQTT client was refused', {
      ...this.#who(),
      reason: reasonName(reason),
      problem: message,
    });
    this.#outgoing.write(
      generate(
        {
          cmd: 'connack',
          sessionPresent: false,
          ...(isVersion5
            ? { reasonCode: reason, properties: { reasonString: message } }
            : { returnCode: returnCode(reason) }),
        },
        { protocolVersion: isVersion5 ? 5 : 4 },
      ),
    );
    this.#closed(false);
  }

  #send(packet: Packet): void {
    if (this.#state !== 'open') return;
    if (packet.cmd === 'puback' && packet.reasonCode === REASON.success) {
      // As in both versions of MQTT; there is one for each message.
      const id = packet.messageId ?? 0;
      this.#outgoing.write(Uint8Array.of(0x40, 2, id >> 8, id & 0xff));
      return;
    }
    this.#outgoing.write(generate(packet, { protocolVersion: this.#request?.version ?? 5 }));
  }

  #end(reason: Reason, message: string, sendWill: boolean): void {
    if (this.#state === 'open' && this.#request?.version === 5) {
      const hasRoomForText = this.#request.maxPacketSize >= ROOM_FOR_TEXT;
      this.#send({
        cmd: 'disconnect',
        reasonCode: reason,
        ...(hasRoomForText && { properties: { reasonString: message } }),
      });
    }
    if (this.#state !== 'closed')
      this.#parts.log.debug('an MQTT connection is closed', { ...this.#who(), problem: message });
    this.#closed(sendWill);
  }

  #closed(sendWill: boolean): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#outgoing.flush();
    this.#connection.close();
    if (this.#session !== undefined) this.#parts.hub.close(this.#session, this, sendWill);
    this.#parts.closed(this);
  }

  #who(): Readonly<Record<string, unknown>> {
    return {
      client_id: this.#request?.clientId,
      username: this.#request?.username,
      remote: this.#connection.remote,
    };
  }
}

function reasonName(reason: Reason): string {
  return Object.entries(REASON).find(([, code]) => code === reason)?.[0] ?? 'unspecified';
}
