/**
 * What the broker counts. Messages are counted in plain numbers and handed to the metrics once per tick: a metric with
 * labels costs as much as routing a message.
 */
import type { Counter, Metrics } from '#src/lib/metrics.ts';

export type Drop = 'away' | 'slow reader' | 'expired' | 'too large' | 'no room' | 'session ended';

export interface Levels {
  readonly connections: number;
  readonly sessions: number;
  readonly retained: number;
}

export class Stats {
  /** By QoS. */
  readonly received = [0, 0, 0];
  readonly sent = [0, 0, 0];
  readonly dropped = new Map<Drop, number>();
  /** Waiting in sessions now. */
  queuedMessages = 0;
  queuedBytes = 0;
  readonly #metrics;

  constructor(metrics: Metrics) {
    this.#metrics = {
      connections: metrics.gauge('nucleon_mqtt_connections', 'Clients connected to the embedded MQTT broker'),
      sessions: metrics.gauge('nucleon_mqtt_sessions', 'Sessions, those of absent clients included'),
      retained: metrics.gauge('nucleon_mqtt_retained_messages', 'Retained messages'),
      queued: metrics.gauge('nucleon_mqtt_queued_messages', 'Messages that wait in sessions'),
      queuedBytes: metrics.gauge('nucleon_mqtt_queued_bytes', 'Bytes of the messages that wait in sessions'),
      received: metrics.counter('nucleon_mqtt_messages_received_total', 'Messages from clients', ['qos']),
      sent: metrics.counter('nucleon_mqtt_messages_sent_total', 'Messages to clients', ['qos']),
      dropped: metrics.counter('nucleon_mqtt_messages_dropped_total', 'Copies not delivered', ['reason']),
      refused: metrics.counter('nucleon_mqtt_connections_refused_total', 'Connections refused', ['reason']),
      violations: metrics.counter('nucleon_mqtt_protocol_violations_total', 'Connections closed for what they sent'),
    };
  }

  drop(reason: Drop, count = 1): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + count);
  }

  refused(reason: string): void {
    this.#metrics.refused.add({ reason });
  }

  violation(): void {
    this.#metrics.violations.add();
  }

  /** Hands what was counted to the metrics. */
  publish(levels: Levels): void {
    this.#metrics.connections.set(levels.connections);
    this.#metrics.sessions.set(levels.sessions);
    this.#metrics.retained.set(levels.retained);
    this.#metrics.queued.set(this.queuedMessages);
    this.#metrics.queuedBytes.set(this.queuedBytes);
    flush(this.received, this.#metrics.received);
    flush(this.sent, this.#metrics.sent);
    for (const [reason, count] of this.dropped) this.#metrics.dropped.add({ reason }, count);
    this.dropped.clear();
  }
}

function flush(counts: number[], counter: Counter): void {
  for (const [qos, count] of counts.entries()) {
    if (count > 0) counter.add({ qos: String(qos) }, count);
    counts[qos] = 0;
  }
}
