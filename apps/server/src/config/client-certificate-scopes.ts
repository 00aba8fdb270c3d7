import { SCOPES, type Scope } from "@calltrack/domain";

/** The scopes that client certificates grant. */
export interface ClientCertificateScopes {
  /** The scopes, keyed by the name in the certificate; see `TlsClient.name`. */
  readonly byName: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** The scopes of certificates whose names are not in `byName`. Empty if such certificates grant no access. */
  readonly others: ReadonlySet<Scope>;
}

/** Applies if TLS_CLIENT_SCOPES is unset: all client certificates have the same scopes. */
export const DEFAULT_CLIENT_CERTIFICATE_SCOPES: ClientCertificateScopes = {
  byName: new Map(),
  others: new Set(["read", "write", "dni"]),
};

/** An entry of TLS_CLIENT_SCOPES: `[name=]scope scope …`. An entry without a name applies to all certificates without their own entry. */
const ENTRY = /^(?:(.+)=)?((?:[a-z]+ )*[a-z]+)$/;

/** Parses TLS_CLIENT_SCOPES, whose entries are separated by semicolons. Returns undefined if an entry is invalid or a name is repeated. */
export function parseClientCertificateScopes(text: string): ClientCertificateScopes | undefined {
  const entries = text.split(";");
  const byName = new Map(entries.flatMap((entry) => parseEntry(entry.trim())));
  if (byName.size < entries.length) return undefined;
  const others = byName.get("") ?? new Set();
  byName.delete("");
  return { byName, others };
}

/** Returns the name and the scopes of an entry, or an empty array if the entry is malformed. The name is empty for an entry without a name. */
function parseEntry(entry: string): [name: string, scopes: ReadonlySet<Scope>][] {
  const [, name = "", list = ""] = ENTRY.exec(entry) ?? [];
  const names = list.split(" ");
  const isValid = names.every((each) => (SCOPES as readonly string[]).includes(each));
  return isValid ? [[name.trim(), new Set(names as Scope[])]] : [];
}
