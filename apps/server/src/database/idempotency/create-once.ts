import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";
import { claimKey, saveResponse } from "./idempotency-keys.js";
import type { RequestKey } from "./request-key.js";

/** Ends the transaction of what created nothing. */
const NOTHING_CREATED = Symbol("nothing created");

/**
 * Creates something once for a key, in one transaction with the key and the answer: who comes again gets the answer that is kept,
 * who comes at the same moment waits for it, and what fails or creates nothing leaves nothing behind.
 *
 * @param key undefined for a request that has no id: what it asks for is done each time, without a transaction.
 * @param create gives the method's answer, or undefined if it has created nothing. It uses no other way to the database than the
 *   one that it is given: the embedded engine has only one.
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED` if the key is that of another request, and whatever `create` throws.
 */
export async function createOnce<T extends Message | undefined>(
  db: Executor,
  key: RequestKey | undefined,
  create: (db: Executor) => Promise<T>,
): Promise<T> {
  if (key === undefined) return create(db);
  const { method, requestId, accountId, keyHash } = key;
  try {
    return await db.transaction(async (transaction) => {
      // What another has committed while this one waited for it is seen.
      const kept = await claimKey(transaction, key);
      if (kept !== undefined) return fromBinary(method.output, decryptResponse(kept, requestId)) as T;
      const created = await create(transaction);
      if (created === undefined) throw NOTHING_CREATED;
      const answer = encryptResponse(toBinary(method.output, created), requestId);
      await saveResponse(transaction, { accountId, keyHash, answer });
      return created;
    });
  } catch (error) {
    if (error === NOTHING_CREATED) return undefined as T;
    throw error;
  }
}
