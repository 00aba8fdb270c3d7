import type { OutputRow } from "../output/output-row.js";
import type { Profile } from "./profile.js";

export const PROFILE_COLUMNS = ["profile", "server", "key", "ca", "cert", "cert_key"] as const;

/** Length of the public prefix that identifies an API key. */
const PREFIX_LENGTH = 15;

/** Formats a profile for output, with the public prefix of its key only. */
export function createProfileRow(name: string, { server, key, ca, cert, certKey }: Profile): OutputRow {
  const shown = { profile: name, server, key: keyText(key), ca, cert, cert_key: certKey };
  return Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, shown[column] ?? null]));
}

function keyText(key: string | undefined): string | undefined {
  return key?.startsWith("ct_") ? `${key.slice(0, PREFIX_LENGTH)}…` : key && "access token";
}
