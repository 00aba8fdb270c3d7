import type { DescMethod } from "@bufbuild/protobuf";

export interface RequestKey {
  /** The account of the request; `NO_ACCOUNT` if it has none. */
  readonly accountId: number;
  /** Hash of the principal and the request id, so that request ids from different principals never collide. */
  readonly keyHash: Buffer;
  /** Hash of the method and the request, to detect an id that is reused for another request. */
  readonly requestHash: Buffer;
  readonly requestId: string;
  readonly method: DescMethod;
}

/** The account id for requests without an account. No account has this id. */
export const NO_ACCOUNT = 0;
