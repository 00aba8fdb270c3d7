import type { Row } from "../resource-row.js";
import type { Profile } from "./profile.js";

/** What is shown of a profile. */
export const PROFILE_COLUMNS = ["profile", "server", "key", "ca", "cert", "cert_key"] as const;

/** How many characters of an API key tell it from others, and are no secret. */
const PREFIX_LENGTH = 15;

/** A profile as it is shown: of its key what is no secret. */
export function profileRow(name: string, { server, key, ca, cert, certKey }: Profile): Row {
  const shown = { profile: name, server, key: keyText(key), ca, cert, cert_key: certKey };
  return Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, shown[column] ?? null]));
}

function keyText(key: string | undefined): string | undefined {
  return key?.startsWith("ct_") ? `${key.slice(0, PREFIX_LENGTH)}…` : key && "an access token";
}
