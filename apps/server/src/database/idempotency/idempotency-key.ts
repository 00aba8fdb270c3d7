import type { DescMethod } from "@bufbuild/protobuf";

export interface IdempotencyKey {
  /** The id of the account in the request; `ABSENT_ACCOUNT_ID` if the request has no account. */
  readonly accountId: number;
  /** SHA-256 of the principal and the request id, so that equal request ids from different principals do not collide. */
  readonly keyHash: Buffer;
  /** SHA-256 of the method and the request, to detect a request id that is reused for another request. */
  readonly requestHash: Buffer;
  readonly requestId: string;
  readonly method: DescMethod;
}

/** Stands for an account id in rows that belong to no account, such as requests without an account. No account has this id. */
export const ABSENT_ACCOUNT_ID = 0;
