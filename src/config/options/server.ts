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
  rpc_response_timeout: {
    type: 'integer',
    default: 60,
    min: 1,
  },
  debug: { type: 'boolean', default: false, effective: true, help: 'Log what is only of use when hunting a defect.' },
  use_json: { type: 'boolean', default: false, effective: true, help: 'Log one JSON object a line instead of text.' },
});

const pipeline = defineGroup('pipeline', {
  api: {
    type: 'list',
    default: [
      'cors',
      'http_proxy_to_wsgi',
      'request_id',
      'catch_errors',
      'healthcheck',
      'versions',
      'openapi',
      'body_limit',
      'identity',
      'auth',
      'rate_limit',
      'extensions',
      'app',
    ],
    effective: true,
    help: 'HTTP middleware, outermost first; a module specifier names one of your own.',
  },
});

const cors = defineGroup('cors', {
  allowed_origin: {
    type: 'list',
    default: [],
    effective: true,
    help: 'Origins that browsers may ask from; empty: none.',
  },
  allow_credentials: { type: 'boolean', default: true, effective: true, help: 'Let browsers send credentials.' },
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
    help: 'Headers that scripts may read.',
  },
  max_age: { type: 'integer', default: 3600, min: 0, effective: true, help: 'Seconds that a preflight answer holds.' },
  allow_methods: {
    type: 'list',
    default: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
    effective: true,
    help: 'Methods that scripts may use.',
  },
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
    help: 'Headers that scripts may send.',
  },
});

const middleware = defineGroup('oslo_middleware', {
  max_request_body_size: {
    type: 'integer',
    default: 1_048_576,
    min: 1,
    deprecated_names: [['DEFAULT', 'osapi_max_request_body_size']],
    effective: true,
    help: 'Bytes of a request body; more answers 413.',
  },
  enable_proxy_headers_parsing: {
    type: 'boolean',
    default: false,
    effective: true,
    help: 'Believe Forwarded and X-Forwarded-* headers: only behind a proxy that sets them.',
  },
});

const rateLimit = defineGroup('rate_limit', {
  requests: {
    type: 'integer',
    default: 0,
    min: 0,
    effective: true,
    help: 'Requests within `seconds` that one caller may make of one worker; 0: no limit.',
  },
  seconds: { type: 'integer', default: 60, min: 1, effective: true, help: 'The time in which `requests` are counted.' },
  by: {
    type: 'string',
    default: 'project',
    choices: ['project', 'remote'],
    effective: true,
    help: 'Who is one caller: a project, or a remote address.',
  },
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
  service_name: { type: 'string', default: 'nucleon', effective: true, help: 'What this server is called in traces.' },
  sample_ratio: {
    type: 'float',
    default: 1,
    min: 0,
    max: 1,
    effective: true,
    help: 'Share of requests traced where the caller has not decided.',
  },
});

const agentFailover = defineGroup('agent_failover', {
  lost_agent_grace: {
    type: 'integer',
    default: 10,
    min: 0,
    effective: true,
    help: 'Seconds that an agent whose connection is lost has to come back before what it serves moves to others.',
  },
});

export const serverOptions = [
  ...defaults,
  ...pipeline,
  ...cors,
  ...middleware,
  ...rateLimit,
  ...metrics,
  ...tracing,
  ...agentFailover,
];
