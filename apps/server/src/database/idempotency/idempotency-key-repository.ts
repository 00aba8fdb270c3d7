import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { deleteInChunks } from "../delete-in-chunks.js";
import { claimStatement, deleteExpiredStatement, findStatement, keepStatement } from "./idempotency-key-statements.js";
import type { RequestKey } from "./request-key.js";

const CHUNK = 1000;

/**
 * Claims a key until the transaction ends, in which `keepAnswer` has to follow. It waits for whoever has claimed the key at the
 * moment.
 *
 * @returns undefined, or the answer that is kept under the key, and nothing is claimed then.
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED` if that is the answer to another request.
 */
export async function claimKey(transaction: Executor, key: RequestKey): Promise<Uint8Array | undefined> {
  const { accountId, keyHash, requestHash } = key;
  for (;;) {
    const claimed = await claimStatement(transaction, { accountId, keyHash, requestHash });
    if (claimed.length > 0) return undefined;
    const [row] = await findStatement(transaction, { accountId, keyHash });
    // What has expired in this moment may be gone, and can be claimed then.
    if (row?.answer == null) continue;
    if (!requestHash.equals(row.request_hash)) throw new DomainError("IDEMPOTENCY_KEY_REUSED", {});
    return row.answer;
  }
}

/** Keeps the answer under a key that the transaction has claimed. */
export async function keepAnswer(
  transaction: Executor,
  { accountId, keyHash }: RequestKey,
  answer: Buffer,
): Promise<void> {
  await keepStatement(transaction, { accountId, keyHash, answer });
}

/** Deletes the keys that can be used anew, with what is kept under them, and gives their number. Call it now and then. */
export function deleteExpiredKeys(db: Executor): Promise<number> {
  return deleteInChunks(CHUNK, (most) => deleteExpiredStatement(db, { most }));
}
