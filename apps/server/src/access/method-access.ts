import type { DescMethod } from "@bufbuild/protobuf";
import type { Scope } from "@calltrack/domain";

/** Access rule of a method: public, or the scope and reach that a principal needs. */
export type MethodAccess = "public" | RestrictedAccess;

/** The scope and reach that a principal needs. */
export interface RestrictedAccess {
  /** The scope that the principal needs; `any` for every principal, even one without a scope. */
  readonly scope: Scope | "any";
  /** Another scope that is sufficient; undefined if there is none. */
  readonly orScope?: Scope;
  /**
   * The data that the method accesses. `account`: the account that its request names, if it names one. `own`: data of
   * the principal's account; the implementation filters by it. `service`: data of the whole service; principals that are
   * bound to one account are rejected.
   */
  readonly reach: "account" | "own" | "service";
}

/** Returns the access rule of a method. Throws for an unknown method, so that no method is public by mistake. */
export type AccessRules = (method: DescMethod) => MethodAccess;

/** The request fields that name an account: its token or id, or in some requests of AccountService its numeric id. */
export interface AccountReference {
  readonly accountId?: string;
  readonly id?: number;
}
