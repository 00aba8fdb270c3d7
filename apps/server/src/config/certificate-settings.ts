import { SCOPES, type Scope } from "@calltrack/domain";
import { ConfigError } from "./config-error.js";
import type { ReadVariable } from "./setting-values.js";

/** What callers may do who say who they are by a client certificate. */
export interface CertificateSettings {
  /** The scopes of those that are named. */
  readonly byName: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** The scopes of all others: none, where only some are named. */
  readonly others: ReadonlySet<Scope>;
}

/** `[name=]scope scope …`: whom it is for, and what they may do. */
const ENTRY = /^(?:(.+)=)?((?:[a-z]+ )*[a-z]+)$/;

/**
 * Reads what the holders of client certificates may do.
 *
 * @param wanted whether any are let in; undefined is returned if not.
 * @throws ConfigError
 */
export function readCertificateSettings(read: ReadVariable, wanted: boolean): CertificateSettings | undefined {
  const scopes = read("TLS_CLIENT_SCOPES", "");
  if (!wanted) {
    const needless = ["TLS_CLIENT_CA", "TLS_CLIENT_SCOPES"].find((name) => read(name, "") !== "");
    if (needless !== undefined) throw new ConfigError(`${needless} must not be set unless AUTH includes certs`);
    return undefined;
  }
  if (read("TLS_CLIENT_CA", "") === "") {
    throw new ConfigError("TLS_CLIENT_CA must be a file of CA certificates for clients, because AUTH includes certs");
  }
  const entries = (scopes || "read write dni").split(";").map((entry) => parseEntry(entry.trim()));
  const byName = new Map(entries);
  if (byName.size < entries.length) throw malformed();
  const others = byName.get("") ?? new Set();
  byName.delete("");
  return { byName, others };
}

function parseEntry(entry: string): [name: string, scopes: ReadonlySet<Scope>] {
  const [, name = "", list = ""] = ENTRY.exec(entry) ?? [];
  const names = list.split(" ");
  if (!names.every((each) => (SCOPES as readonly string[]).includes(each))) throw malformed();
  return [name.trim(), new Set(names as Scope[])];
}

function malformed(): ConfigError {
  return new ConfigError(
    "TLS_CLIENT_SCOPES must be scopes, such as read write dni, or scopes by certificate name, each name once, such as " +
      "spiffe://example.org/switch=dni; billing.internal=read write",
  );
}
