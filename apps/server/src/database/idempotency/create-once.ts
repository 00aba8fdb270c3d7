import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";
import { claimKey, saveResponse } from "./idempotency-keys.js";
import type { RequestKey } from "./request-key.js";

/** Thrown to roll back a transaction that created nothing. */
const NOTHING_CREATED = Symbol("nothing created");

/**
 * Creates a resource once per key: stores the key and the response in the transaction that creates the resource. A retry returns the stored
 * response; a concurrent request waits for it. If `create` fails or creates nothing, nothing is stored.
 *
 * @param key undefined for a request without an id, which runs every time, without a transaction.
 * @param create returns the method's response, or undefined if it created nothing. It must use only the given executor, because the embedded
 *   engine has a single connection.
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED` if the key belongs to another request, or an error from `create`.
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
      // In this transaction, statements also see rows that another transaction committed while this one waited for the key.
      const stored = await claimKey(transaction, key);
      if (stored !== undefined) return fromBinary(method.output, decryptResponse(stored, requestId)) as T;
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
