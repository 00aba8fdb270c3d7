import type { Generated } from "kysely";

/** The requests that were done under an id, and what was answered to them. */
export interface IdempotencyKeyTable {
  /** The account that the request is about; 0 if it is about none. */
  readonly account_id: number;
  /** SHA-256 of the caller and the request's id: the id itself is kept nowhere. */
  readonly key_hash: Buffer;
  /** SHA-256 of the method and the request. */
  readonly request_hash: Buffer;
  /** See `sealAnswer`; null within the transaction only that does what the request asks for. */
  readonly answer: Buffer | null;
  readonly created_at: Generated<Date>;
  /** From then on the id can be used anew. */
  readonly expires_at: Date;
}
