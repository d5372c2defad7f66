/** A configuration that cannot be used. Not an API error: it is met at start, before anybody can ask anything. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
