/** Thrown for an invalid environment variable or command-line argument. The message says which value to set. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
