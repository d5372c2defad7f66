/** The services behind the server: PostgreSQL, the MQTT broker, and those that it embeds when none are configured. */
import { defineGroup } from './define.ts';

const database = defineGroup('database', {
  connection: {
    type: 'string',
    default: null,
    secret: true,
    effective: true,
    help: 'postgresql://user:password@host/database. Unset: the embedded PostgreSQL.',
  },
  max_pool_size: { type: 'integer', default: 5, min: 1, effective: true, help: 'Connections of one worker.' },
  max_retries: {
    type: 'integer',
    default: 10,
    min: -1,
    effective: true,
    help: 'Further attempts to reach the database at start; -1: for ever.',
  },
  retry_interval: {
    type: 'integer',
    default: 10,
    min: 0,
    effective: true,
    help: 'Longest pause between these attempts, in seconds.',
  },
  db_max_retries: {
    type: 'integer',
    default: 20,
    min: 0,
  },
  connection_recycle_time: {
    type: 'integer',
    default: 3600,
    min: 0,
  },
  engine: { type: 'string', default: '' },
  slave_connection: { type: 'string', default: null, secret: true },
  asyncio_connection: { type: 'string', default: null, secret: true },
  asyncio_slave_connection: { type: 'string', default: null, secret: true },
  backend: { type: 'string', default: 'sqlalchemy' },
  sqlite_synchronous: { type: 'boolean', default: true },
  mysql_sql_mode: { type: 'string', default: 'TRADITIONAL' },
  mysql_wsrep_sync_wait: { type: 'integer', default: null },
  mysql_enable_ndb: { type: 'boolean', default: false },
  min_pool_size: { type: 'integer', default: 1 },
  max_overflow: { type: 'integer', default: 50, min: 0 },
  pool_timeout: { type: 'integer', default: null },
  use_db_reconnect: { type: 'boolean', default: false },
  db_retry_interval: { type: 'integer', default: 1 },
  db_inc_retry_interval: { type: 'boolean', default: true },
  db_max_retry_interval: { type: 'integer', default: 10 },
  connection_debug: { type: 'integer', default: 0, min: 0, max: 100 },
  connection_trace: { type: 'boolean', default: false },
  connection_parameters: { type: 'string', default: '' },
  synchronous_reader: { type: 'boolean', default: true },
});

const mqtt = defineGroup('mqtt', {
  url: {
    type: 'uri',
    default: null,
    effective: true,
    help: 'mqtt://, mqtts://, ws:// or wss:// URL of an MQTT 5 broker. Unset: the embedded one.',
  },
  username: { type: 'string', default: null, effective: true, help: 'User at the broker.' },
  password: { type: 'string', default: null, secret: true, effective: true, help: 'Its password.' },
  topic_prefix: {
    type: 'string',
    default: 'neutron/v1',
    pattern: '^[^+#/]+(/[^+#/]+)*$',
    effective: true,
    help: 'What all topics begin with; clusters that share a broker differ here.',
  },
  ca_file: { type: 'string', default: null, effective: true, help: 'Certificates that the broker is checked against.' },
  cert_file: {
    type: 'string',
    default: null,
    effective: true,
    help: 'Our own certificate, where the broker asks for one.',
  },
  key_file: { type: 'string', default: null, effective: true, help: 'The key of that certificate.' },
});

const embedded = defineGroup('embedded', {
  state_dir: {
    type: 'string',
    default: '.nucleon',
    effective: true,
    help: 'Where data, generated passwords, openrc and clouds.yaml are kept.',
  },
  postgres_port: {
    type: 'port',
    default: 5433,
    effective: true,
    help: 'Port of the embedded PostgreSQL (loopback). Unset: this one if it is free, else another.',
  },
  mqtt_host: {
    type: 'host',
    default: '127.0.0.1',
    effective: true,
    help: 'Address that the embedded broker listens on.',
  },
  mqtt_port: {
    type: 'port',
    default: 1883,
    effective: true,
    help: 'Port of the embedded broker. Unset: this one if it is free, else another.',
  },
  mqtt_ws_port: { type: 'port', default: 8083, effective: true, help: 'The same over WebSocket; set to 0: none.' },
});

export const backendOptions = [...database, ...mqtt, ...embedded];
