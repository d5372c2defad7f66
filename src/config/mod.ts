/**
 * Configuration: INI files as oslo.config reads them and `OS_<GROUP>__<OPTION>` variables, checked against the option
 * tables and turned into one `Config`. Promises: an existing neutron.conf loads; every complaint names file, line,
 * group, option and what is allowed; a secret is never repeated.
 */
export { type AuthStrategy, authStrategy } from './auth_strategy.ts';
export { checkConfig, describeSettings } from './check.ts';
export { configFrom } from './config.ts';
export { databaseUrl } from './database_url.ts';
export { ConfigError } from './errors.ts';
export { type Finding, type FindingKind, formatFinding } from './finding.ts';
export { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts';
export { allOptions } from './options/mod.ts';
export { type WorkerCounts, workerCounts } from './workers.ts';
