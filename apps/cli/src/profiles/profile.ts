import { UsageError } from "../usage-error.js";

/** Where a service is, and how the user says who calls, as `calltrack login` keeps it. */
export interface Profile {
  readonly server: string;
  /** An API key or an access token. */
  readonly key?: string | undefined;
  /** The file of the authorities that the server's certificate is to be of. */
  readonly ca?: string | undefined;
  /** The files of a client certificate and its key. */
  readonly cert?: string | undefined;
  readonly certKey?: string | undefined;
}

/** The names of what a profile has, each with the name in its file. */
export const PROFILE_FIELDS = {
  server: "server",
  key: "key",
  ca: "ca",
  cert: "cert",
  certKey: "cert_key",
} as const satisfies Record<keyof Profile, string>;

/** The profile of those who name none. */
export const DEFAULT_PROFILE = "default";

/** Checks the name of a profile, which is that of its file too. Throws a UsageError. */
export function requireProfileName(name: string): string {
  if (/^\w[\w.-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    "the name of a profile has letters, digits, dots, dashes and underscores, and no dot or dash first",
  );
}

/** Writes a profile as its file has it. */
export function profileToJson(profile: Profile): string {
  const fields = Object.entries(PROFILE_FIELDS).map(([name, key]) => [key, profile[name as keyof Profile]]);
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`;
}

/** Reads what a file has; undefined if that is no profile. */
export function profileFromJson(text: string): Profile | undefined {
  const json = parseObject(text);
  const entries = Object.entries(PROFILE_FIELDS).map(([name, key]) => [name, json[key]] as const);
  const areTexts = entries.every(([, value]) => value === undefined || typeof value === "string");
  if (!areTexts || typeof json.server !== "string") return undefined;
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as unknown as Profile;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
