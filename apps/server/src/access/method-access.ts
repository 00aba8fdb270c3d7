import type { DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { Scope } from "@calltrack/domain";
import { API, type ApiMethods } from "@calltrack/domain";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";

/** Access rule of a method: public, or the scope and reach that a caller needs. */
export type MethodAccess = "public" | MethodRow;

interface MethodRow {
  /** The scope that the caller needs; `any` for every authenticated caller, even one without a scope. */
  readonly scope: Scope | "any";
  /** Another scope that is sufficient; undefined if there is none. */
  readonly orScope?: Scope;
  /**
   * The data that the method accesses. `account`: the account that its request names, if it names one. `own`: data of
   * the caller's account; the implementation filters by it. `service`: data of the whole service; callers that are
   * bound to one account are rejected.
   */
  readonly reach: "account" | "own" | "service";
}

/** Restricts methods whose requests name an account: they have the reach `account` or are public. */
type AccessOf<Request> =
  Extract<keyof Request, keyof AccountReference> extends never
    ? MethodAccess
    : "public" | (MethodRow & { readonly reach: "account" });

/** The request fields that name an account: its token or id, or in some requests of AccountService its numeric id. */
export interface AccountReference {
  readonly accountId?: string;
  readonly id?: number;
}

/** The access rule of each method of the API. Web pages call the public methods, and a page cannot keep a secret. */
const apiAccess: { readonly [M in keyof ApiMethods]: AccessOf<MessageShape<ApiMethods[M]["input"]>> } = {
  createAccount: { scope: "write", reach: "service" },
  getAccount: { scope: "read", reach: "account" },
  listAccounts: { scope: "read", reach: "own" },
  updateAccount: { scope: "write", reach: "account" },
  createPhoneNumber: { scope: "write", reach: "account" },
  getPhoneNumber: { scope: "read", reach: "account" },
  listPhoneNumbers: { scope: "read", reach: "account" },
  createPool: { scope: "write", reach: "account" },
  batchCreatePools: { scope: "write", reach: "account" },
  getPool: { scope: "read", reach: "account" },
  listPools: { scope: "read", reach: "account" },
  listPoolSummaries: { scope: "read", reach: "account" },
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
  resolveCall: { scope: "dni", orScope: "calls", reach: "own" },
  createCall: { scope: "calls", reach: "own" },
  batchCreateCalls: { scope: "calls", reach: "own" },
  getCall: { scope: "read", reach: "account" },
  listCalls: { scope: "read", reach: "account" },
  exportCalls: { scope: "read", reach: "account" },
  reportCalls: { scope: "read", reach: "account" },
  updateCall: { scope: "calls", reach: "account" },
  forgetCaller: { scope: "write", reach: "account" },
  getClock: { scope: "read", reach: "own" },
  advanceClock: { scope: "admin", reach: "service" },
  whoAmI: { scope: "any", reach: "own" },
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
  // Health reveals only that the server is running, and reflection only the published protos.
  ...INFRASTRUCTURE_SERVICES.flatMap(({ methods }) => methods).map((method) => [method, "public"] as const),
]);

/**
 * Returns the access rule of a method.
 *
 * @throws Error for a method of an unknown service, so that no method is public by mistake.
 */
export function methodAccess(method: DescMethod): MethodAccess {
  const found = access.get(method);
  if (found === undefined) throw new Error(`no access rule for ${method.parent.typeName}.${method.name}`);
  return found;
}
