/**
 * What a real neutron.conf holds for the libraries that Neutron is built on (oslo.messaging, oslo.log, oslo.service ...).
 * Nothing here reads it; it is known so that it is not taken for a mistake.
 */
import { defineGroup } from './define.ts';

const defaults = defineGroup('DEFAULT', {
  transport_url: { type: 'string', default: 'rabbit://', secret: true },
  control_exchange: { type: 'string', default: 'neutron' },
  executor_thread_pool_size: { type: 'integer', default: 64 },
  rpc_conn_pool_size: { type: 'integer', default: 30 },
  conn_pool_min_size: { type: 'integer', default: 2 },
  conn_pool_ttl: { type: 'integer', default: 1200 },
  rpc_ping_enabled: { type: 'boolean', default: false },
  log_config_append: { type: 'string', default: null },
  log_date_format: { type: 'string', default: '%Y-%m-%d %H:%M:%S' },
  log_file: { type: 'string', default: null },
  log_dir: { type: 'string', default: null },
  use_syslog: { type: 'boolean', default: false },
  use_journal: { type: 'boolean', default: false },
  syslog_log_facility: { type: 'string', default: 'LOG_USER' },
  use_stderr: { type: 'boolean', default: false },
  use_eventlog: { type: 'boolean', default: false },
  log_color: { type: 'boolean', default: false },
  log_rotate_interval: { type: 'integer', default: 1 },
  log_rotate_interval_type: { type: 'string', default: 'days' },
  max_logfile_count: { type: 'integer', default: 30 },
  max_logfile_size_mb: { type: 'integer', default: 200 },
  log_rotation_type: { type: 'string', default: 'none' },
  logging_context_format_string: { type: 'string', default: null },
  logging_default_format_string: { type: 'string', default: null },
  logging_debug_format_suffix: { type: 'string', default: null },
  logging_exception_prefix: { type: 'string', default: null },
  logging_user_identity_format: { type: 'string', default: null },
  default_log_levels: { type: 'list', default: [] },
  publish_errors: { type: 'boolean', default: false },
  instance_format: { type: 'string', default: null },
  instance_uuid_format: { type: 'string', default: null },
  rate_limit_interval: { type: 'integer', default: 0 },
  rate_limit_burst: { type: 'integer', default: 0 },
  rate_limit_except_level: { type: 'string', default: 'CRITICAL' },
  fatal_deprecations: { type: 'boolean', default: false },
  watch_log_file: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: true },
  backdoor_port: { type: 'string', default: null },
  backdoor_socket: { type: 'string', default: null },
  log_options: { type: 'boolean', default: true },
  run_external_periodic_tasks: { type: 'boolean', default: true },
  api_paste_config: { type: 'string', default: 'api-paste.ini' },
  wsgi_log_format: { type: 'string', default: null },
  tcp_keepidle: { type: 'integer', default: 600 },
  wsgi_default_pool_size: { type: 'integer', default: 100 },
  max_header_line: { type: 'integer', default: 16384 },
  wsgi_keep_alive: { type: 'boolean', default: true },
  wsgi_server_debug: { type: 'boolean', default: false },
  client_socket_timeout: { type: 'integer', default: 900 },
  backlog: { type: 'integer', default: 4096 },
  retry_until_window: { type: 'integer', default: 30 },
  use_ssl: { type: 'boolean', default: false },
});

/**
 * Groups in which no option of any name has an effect here. They are not listed name by name: these libraries' options
 * come and go with their releases.
 */
export const libraryGroups: ReadonlySet<string> = new Set([
  'audit',
  'cache',
  'coordination',
  'healthcheck',
  'octavia',
  'oslo_concurrency',
  'oslo_limit',
  'oslo_messaging_amqp',
  'oslo_messaging_kafka',
  'oslo_messaging_metrics',
  'oslo_messaging_notifications',
  'oslo_messaging_rabbit',
  'oslo_reports',
  'oslo_versionedobjects',
  'privsep',
  'privsep_conntrack',
  'privsep_dhcp_release',
  'privsep_namespace',
  'privsep_ovs_vsctl',
  'profiler',
  'ssl',
]);

const middleware = defineGroup('oslo_middleware', {
  secure_proxy_ssl_header: { type: 'string', default: 'X-Forwarded-Proto' },
  http_basic_auth_user_file: { type: 'string', default: '/etc/htpasswd' },
});

export const osloOptions = [...defaults, ...middleware];
