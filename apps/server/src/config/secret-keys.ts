/** A key of 32 bytes in base64 (RFC 4648 section 4), as `openssl rand -base64 32` prints it. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Parses comma-separated keys of 32 bytes in base64. Returns undefined if any key is malformed. */
export function parseSecretKeys(text: string): readonly Buffer[] | undefined {
  const keys = text.split(",").map((key) => key.trim());
  return keys.every((key) => KEY.test(key)) ? keys.map((key) => Buffer.from(key, "base64")) : undefined;
}
