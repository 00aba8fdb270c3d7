import { parseServerUrl } from "../connection/server-url.js";
import { UsageError } from "../process/usage-error.js";

/** A server and the credentials for it, as saved by `calltrack login`. */
export interface Profile {
  /** URL without a trailing slash. */
  readonly server: string;
  /** An API key or an access token. */
  readonly key?: string | undefined;
  /** Path of the CA certificates to verify the server with. */
  readonly ca?: string | undefined;
  /** Paths of a client certificate and its private key. */
  readonly cert?: string | undefined;
  readonly certKey?: string | undefined;
}

/** The names of the JSON properties in a profile's file, keyed by the field of the profile. */
export const PROFILE_FILE_KEYS = {
  server: "server",
  key: "key",
  ca: "ca",
  cert: "cert",
  certKey: "cert_key",
} as const satisfies Record<keyof Profile, string>;

/** The profile that is used if none is selected. */
export const DEFAULT_PROFILE = "default";

/**
 * Returns the name if it is valid as the name of a profile and of the profile's file.
 *
 * @throws UsageError if the name is invalid.
 */
export function requireProfileName(name: string): string {
  if (/^\w[\w.-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    "a profile name may contain letters, digits, dots, dashes and underscores, must not start with a dot or dash, and must have at most 64 characters",
  );
}

export function profileToJson(profile: Profile): string {
  const fields = Object.entries(PROFILE_FILE_KEYS).map(([name, key]) => [key, profile[name as keyof Profile]]);
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`;
}

/** Parses the content of a profile's file. Returns undefined if the content is not a profile. */
export function profileFromJson(text: string): Profile | undefined {
  const json = parseObject(text);
  const entries = Object.entries(PROFILE_FILE_KEYS).map(([name, key]) => [name, json[key]] as const);
  const areTexts = entries.every(([, value]) => value === undefined || typeof value === "string");
  const server = typeof json.server === "string" ? parseServerUrl(json.server) : undefined;
  if (!areTexts || server === undefined) return undefined;
  return { ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)), server };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
