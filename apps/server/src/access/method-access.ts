import type { DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { Scope } from "@calltrack/domain";
import { API, type ApiMethods } from "@calltrack/domain";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";

/** Who may call a method. */
export type MethodAccess = "public" | MethodRow;

interface MethodRow {
  /** What the caller must be allowed to do. */
  readonly scope: Scope;
  /**
   * What the method reaches. `account`: the one account that its request names, if it names one. `own`: what is of the caller's
   * account, which the implementation sees to. `service`: what is of no one account, so that callers that are bound to one may
   * not call it.
   */
  readonly reach: "account" | "own" | "service";
}

/** A method whose request names an account can be of that account only, or public. */
type AccessOf<Request> =
  Extract<keyof Request, keyof NamesAccount> extends never
    ? MethodAccess
    : "public" | (MethodRow & { readonly reach: "account" });

/** How the requests of the API name an account: by its token or id, or those of AccountService by its id. */
export interface NamesAccount {
  readonly accountId?: string;
  readonly id?: number;
}

/** Who may call each method of the API. Public is what the pages of web sites call: they have no place for a secret. */
const apiAccess: { readonly [M in keyof ApiMethods]: AccessOf<MessageShape<ApiMethods[M]["input"]>> } = {
  createAccount: { scope: "write", reach: "service" },
  getAccount: { scope: "read", reach: "account" },
  listAccounts: { scope: "read", reach: "own" },
  updateAccount: { scope: "write", reach: "account" },
  createPhoneNumber: { scope: "write", reach: "account" },
  getPhoneNumber: { scope: "read", reach: "account" },
  listPhoneNumbers: { scope: "read", reach: "account" },
  createPool: { scope: "write", reach: "account" },
  getPool: { scope: "read", reach: "account" },
  listPools: { scope: "read", reach: "account" },
  exportPools: { scope: "read", reach: "account" },
  updatePool: { scope: "write", reach: "account" },
  planPoolUpdate: { scope: "read", reach: "account" },
  explainPool: { scope: "read", reach: "account" },
  listPoolHistory: { scope: "read", reach: "account" },
  getCallTracker: { scope: "read", reach: "account" },
  listCallTrackers: { scope: "read", reach: "account" },
  updateCallTracker: { scope: "write", reach: "account" },
  flagCallTracker: { scope: "write", reach: "account" },
  addTrackingNumbers: { scope: "write", reach: "service" },
  importTrackingNumbers: { scope: "write", reach: "service" },
  listTrackingNumbers: { scope: "read", reach: "service" },
  countTrackingNumbers: { scope: "read", reach: "service" },
  retireTrackingNumber: { scope: "write", reach: "service" },
  recordVisits: { scope: "dni", reach: "account" },
  resolveNumbers: "public",
  reportVisit: "public",
  resolveCall: { scope: "dni", reach: "own" },
  getClock: { scope: "read", reach: "own" },
  advanceClock: { scope: "admin", reach: "service" },
  createApiKey: { scope: "admin", reach: "account" },
  getApiKey: { scope: "admin", reach: "own" },
  listApiKeys: { scope: "admin", reach: "account" },
  revokeApiKey: { scope: "admin", reach: "own" },
  listAuditEntries: { scope: "admin", reach: "account" },
};

const access: ReadonlyMap<DescMethod, MethodAccess> = new Map([
  ...API.flatMap(({ methods }) => methods).map(
    (method) => [method, apiAccess[method.localName as keyof ApiMethods]] as const,
  ),
  // Health tells nothing but that the server is there, and reflection what anyone can read in the protos.
  ...INFRASTRUCTURE_SERVICES.flatMap(({ methods }) => methods).map((method) => [method, "public"] as const),
]);

/**
 * Who may call a method.
 *
 * @throws Error for a method of no service that is served here, so that none is open by mistake.
 */
export function methodAccess(method: DescMethod): MethodAccess {
  const found = access.get(method);
  if (found === undefined) throw new Error(`no access rule for ${method.parent.typeName}.${method.name}`);
  return found;
}
