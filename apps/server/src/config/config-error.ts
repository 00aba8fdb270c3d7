/** An invalid environment variable or argument. The message says which value to set. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
