/** How this server runs: what it listens on, its workers, its logs, and what it tells about itself. */
import { defineGroup } from './define.ts';

const defaults = defineGroup('DEFAULT', {
  bind_host: { type: 'host', default: '127.0.0.1', effective: true, help: 'Address that the API listens on.' },
  bind_port: {
    type: 'port',
    default: 9696,
    effective: true,
    help: 'Port that the API listens on; 0 picks a free one.',
  },
  api_workers: {
    type: 'integer',
    default: null,
    min: 0,
    effective: true,
    help: 'Processes that serve the API. Unset: one for each core. 0: none here.',
  },
  graceful_shutdown_timeout: {
    type: 'integer',
    default: 60,
    min: 0,
    effective: true,
    help: 'Seconds that requests in flight have to end when a worker stops; 0 waits for ever.',
  },
  max_request_body_size: {
    type: 'integer',
    default: 1_048_576,
    min: 1024,
    deprecated_names: [
      ['oslo_middleware', null],
      ['DEFAULT', 'osapi_max_request_body_size'],
    ],
    effective: true,
    help: 'Bytes of a request body; more answers 413.',
  },
  noauth_anywhere: {
    type: 'boolean',
    default: false,
    effective: true,
    help: 'Allow auth_strategy = noauth on an address that others can reach.',
  },
  rpc_response_timeout: {
    type: 'integer',
    default: 60,
    min: 1,
    effective: true,
    help: 'Seconds to wait for the answer to a call.',
  },
  debug: { type: 'boolean', default: false, effective: true, help: 'Log what is only of use when hunting a defect.' },
  use_json: { type: 'boolean', default: false, effective: true, help: 'Log one JSON object a line instead of text.' },
});

const pipeline = defineGroup('pipeline', {
  api: {
    type: 'list',
    default: ['cors', 'healthcheck', 'request_id', 'catch_errors', 'auth', 'extensions', 'app'],
    effective: true,
    help: 'HTTP middleware in order; a name that is not built in is a module specifier.',
  },
});

const cors = defineGroup('cors', {
  allowed_origin: {
    type: 'list',
    default: [],
    effective: true,
    help: 'Origins that browsers may ask from; empty: none.',
  },
  allow_credentials: { type: 'boolean', default: true, effective: true },
  expose_headers: {
    type: 'list',
    default: [
      'X-Auth-Token',
      'X-Subject-Token',
      'X-Service-Token',
      'X-OpenStack-Request-ID',
      'OpenStack-Volume-microversion',
    ],
    effective: true,
  },
  max_age: { type: 'integer', default: 3600, min: 0, effective: true, help: 'Seconds that a preflight answer holds.' },
  allow_methods: { type: 'list', default: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'], effective: true },
  allow_headers: {
    type: 'list',
    default: [
      'X-Auth-Token',
      'X-Identity-Status',
      'X-Roles',
      'X-Service-Catalog',
      'X-User-Id',
      'X-Tenant-Id',
      'X-OpenStack-Request-ID',
    ],
    effective: true,
  },
});

const rateLimit = defineGroup('rate_limit', {
  requests_per_second: {
    type: 'float',
    default: 0,
    min: 0,
    effective: true,
    help: 'Requests a second that one project may send to one worker; 0 switches the limit off.',
  },
  burst: { type: 'integer', default: 50, min: 1, effective: true, help: 'Requests that may come at once above that.' },
});

const metrics = defineGroup('metrics', {
  host: { type: 'host', default: '127.0.0.1', effective: true, help: 'Address of the Prometheus endpoint.' },
  port: { type: 'port', default: 0, effective: true, help: 'Port of the Prometheus endpoint (/metrics); 0: none.' },
});

const tracing = defineGroup('tracing', {
  endpoint: {
    type: 'uri',
    default: null,
    effective: true,
    help: 'Where traces go by OTLP over HTTP: http://collector:4318/v1/traces. Unset: no tracing.',
  },
  service_name: { type: 'string', default: 'nucleon', effective: true },
  sample_ratio: {
    type: 'float',
    default: 1,
    min: 0,
    max: 1,
    effective: true,
    help: 'Share of requests traced where the caller has not decided.',
  },
});

export const serverOptions = [...defaults, ...pipeline, ...cors, ...rateLimit, ...metrics, ...tracing];
