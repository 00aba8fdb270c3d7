/** An environment variable with a value that the server cannot run on. The message is one line that says what to set. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
