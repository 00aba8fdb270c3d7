import type { DescMethod } from "@bufbuild/protobuf";
import type { Scope } from "@calltrack/domain";

export type MethodAccess = "public" | RestrictedAccess;

export interface RestrictedAccess {
  /** The scope that a principal needs. `any` admits every authenticated principal, even without scopes. */
  readonly scope: Scope | "any";
  /** A second scope, which a principal may have instead of `scope`; undefined if there is none. */
  readonly orScope?: Scope;
  /**
   * The data that the method accesses. `account`: the data of the account that the request names, if any. `own`: the data that the principal
   * may access, which the implementation selects. `service`: the data of all accounts; principals bound to one account are rejected.
   */
  readonly reach: "account" | "own" | "service";
}

/** Returns the access rule of a method. Throws if the method has no rule, so that no method is public by mistake. */
export type MethodAccessLookup = (method: DescMethod) => MethodAccess;

/** The request fields that name an account. `accountId` is a token or an id; `id` is a numeric id in requests to AccountService. */
export interface AccountReference {
  readonly accountId?: string;
  readonly id?: number;
}
