import { SCOPES, type Scope } from "@calltrack/domain";
import { ConfigError } from "./config-error.js";
import type { ReadVariable } from "./setting-values.js";

/** The scopes of callers that authenticate with a client certificate. */
export interface CertificateSettings {
  /** Scopes by certificate name. */
  readonly byName: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** Scopes of certificates that `byName` does not list; empty if only listed ones are allowed. */
  readonly others: ReadonlySet<Scope>;
}

/** `[name=]scope scope …`; without a name, the entry is for all other certificates. */
const ENTRY = /^(?:(.+)=)?((?:[a-z]+ )*[a-z]+)$/;

/**
 * Reads the scopes of client certificates.
 *
 * @param wanted whether certificates authenticate callers; if not, returns undefined.
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
