/** The configuration options that the API reads, and the pipeline that is served when none is configured. */
import type { OptionSpec } from '#src/lib/config.ts';

/** Outermost first. What stands before `auth` is answered without a token. */
export const DEFAULT_PIPELINE: readonly string[] = [
  'cors',
  'http_proxy_to_wsgi',
  'request_id',
  'catch_errors',
  'healthcheck',
  'versions',
  'body_limit',
  'identity',
  'auth',
  'rate_limit',
  'extensions',
  'app',
];

const option = (
  group: string,
  name: string,
  type: OptionSpec['type'],
  value: OptionSpec['default'],
  help: string,
  more: Partial<OptionSpec> = {},
): OptionSpec => ({ group, name, type, default: value, help, effective: true, ...more });

/** Everything that `createApp` asks of the configuration. */
export const apiOptions: readonly OptionSpec[] = [
  option(
    'pipeline',
    'api',
    'list',
    DEFAULT_PIPELINE,
    'Middleware by name, outermost first; a module specifier names one of your own.',
  ),
  option(
    'DEFAULT',
    'pagination_max_limit',
    'string',
    '-1',
    'Most items a list answers at once; "infinite" or negative: no limit.',
  ),
  option('DEFAULT', 'network_link_prefix', 'string', null, 'Stands in links instead of the URL the client used.'),
  option(
    'oslo_middleware',
    'max_request_body_size',
    'integer',
    114_688,
    'Bytes of a request body, above which 413 is answered.',
    { min: 1 },
  ),
  option(
    'oslo_middleware',
    'enable_proxy_headers_parsing',
    'boolean',
    false,
    'Whether Forwarded and X-Forwarded-* are believed.',
  ),
  option('cors', 'allowed_origin', 'list', [], 'Origins that browsers may call from; "*" is any. Empty: no CORS.'),
  option('cors', 'allow_credentials', 'boolean', true, 'Whether browsers may send credentials.'),
  option(
    'cors',
    'expose_headers',
    'list',
    ['X-Auth-Token', 'X-Subject-Token', 'X-Service-Token', 'X-OpenStack-Request-ID', 'OpenStack-Volume-microversion'],
    'Headers that scripts may read.',
  ),
  option('cors', 'max_age', 'integer', 3600, 'Seconds that a browser keeps the answer to a preflight.', { min: 0 }),
  option('cors', 'allow_methods', 'list', ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'], 'Methods that scripts may use.'),
  option(
    'cors',
    'allow_headers',
    'list',
    [
      'X-Auth-Token',
      'X-Identity-Status',
      'X-Roles',
      'X-Service-Catalog',
      'X-User-Id',
      'X-Tenant-Id',
      'X-OpenStack-Request-ID',
    ],
    'Headers that scripts may send.',
  ),
  option(
    'rate_limit',
    'requests',
    'integer',
    0,
    'Requests in `seconds` that one caller may make of one worker; 0: no limit.',
    { min: 0 },
  ),
  option('rate_limit', 'seconds', 'integer', 60, 'The time in which `requests` are counted.', { min: 1 }),
  option('rate_limit', 'by', 'string', 'project', 'Who is one caller: a project, or a remote address.', {
    choices: ['project', 'remote'],
  }),
];
