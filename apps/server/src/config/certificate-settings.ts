import { SCOPES, type Scope } from "@calltrack/domain";

/** The scopes of principals that authenticate with a client certificate. */
export interface CertificateSettings {
  /** Scopes by certificate name. */
  readonly byName: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** Scopes of certificates that `byName` does not list; empty if only listed ones are allowed. */
  readonly others: ReadonlySet<Scope>;
}

/** The scopes of all client certificates if TLS_CLIENT_SCOPES is unset. */
export const DEFAULT_CERTIFICATES: CertificateSettings = {
  byName: new Map(),
  others: new Set(["read", "write", "dni"]),
};

/** `[name=]scope scope …`; an entry without a name applies to all other certificates. */
const ENTRY = /^(?:(.+)=)?((?:[a-z]+ )*[a-z]+)$/;

/** Parses entries that are separated by semicolons. Returns undefined if an entry is invalid or two have the same name. */
export function parseCertificateScopes(text: string): CertificateSettings | undefined {
  const entries = text.split(";");
  const byName = new Map(entries.flatMap((entry) => parseEntry(entry.trim())));
  if (byName.size < entries.length) return undefined;
  const others = byName.get("") ?? new Set();
  byName.delete("");
  return { byName, others };
}

/** Returns the name and the scopes of an entry, or nothing if it is malformed. The name is empty for all other certificates. */
function parseEntry(entry: string): [name: string, scopes: ReadonlySet<Scope>][] {
  const [, name = "", list = ""] = ENTRY.exec(entry) ?? [];
  const names = list.split(" ");
  const isValid = names.every((each) => (SCOPES as readonly string[]).includes(each));
  return isValid ? [[name.trim(), new Set(names as Scope[])]] : [];
}
