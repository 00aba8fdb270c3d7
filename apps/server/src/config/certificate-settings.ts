import { SCOPES, type Scope } from "@calltrack/domain";
import type { Settings } from "./settings.js";

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
 */
export function readCertificateSettings(settings: Settings, wanted: boolean): CertificateSettings | undefined {
  if (!wanted) return settings.requireUnset(["TLS_CLIENT_CA", "TLS_CLIENT_SCOPES"], "unless AUTH includes certs");
  if (settings.text("TLS_CLIENT_CA") === "") {
    return settings.reject("TLS_CLIENT_CA must be a file of CA certificates for clients, because AUTH includes certs");
  }
  const entries = settings.text("TLS_CLIENT_SCOPES", "read write dni").split(";");
  const byName = new Map(entries.flatMap((entry) => parseEntry(entry.trim())));
  if (byName.size < entries.length) return settings.reject(MALFORMED);
  const others = byName.get("") ?? new Set();
  byName.delete("");
  return { byName, others };
}

const MALFORMED =
  "TLS_CLIENT_SCOPES must be scopes, such as read write dni, or scopes by certificate name, each name once, such as " +
  "spiffe://example.org/switch=dni; billing.internal=read write";

/** Returns the name and the scopes of an entry; nothing for a malformed one. */
function parseEntry(entry: string): [name: string, scopes: ReadonlySet<Scope>][] {
  const [, name = "", list = ""] = ENTRY.exec(entry) ?? [];
  const names = list.split(" ");
  const isValid = names.every((each) => (SCOPES as readonly string[]).includes(each));
  return isValid ? [[name.trim(), new Set(names as Scope[])]] : [];
}
