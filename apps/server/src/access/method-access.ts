import type { DescMethod } from "@bufbuild/protobuf";
import type { Scope } from "@calltrack/domain";

export type MethodAccess = "public" | RestrictedAccess;

export interface RestrictedAccess {
  /** The scope that the principal needs; `any` admits every principal, even one without scopes. */
  readonly scope: Scope | "any";
  /** Another scope that is sufficient instead; undefined if there is none. */
  readonly orScope?: Scope;
  /**
   * The data that the method accesses. `account`: data of the account that the request names, if it names one. `own`: data of the principal's
   * account, by which the implementation filters. `service`: data of all accounts; principals that are bound to one account are rejected.
   */
  readonly reach: "account" | "own" | "service";
}

/** Returns the access rule of a method. Throws for a method without a rule, so that no method is public by mistake. */
export type AccessRules = (method: DescMethod) => MethodAccess;

/** The request fields that name an account: its token or id, or in some requests of AccountService its numeric id. */
export interface AccountReference {
  readonly accountId?: string;
  readonly id?: number;
}
