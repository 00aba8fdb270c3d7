import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";
import type { IdempotencyKey } from "./idempotency-key.js";
import { findResponsesStatement, saveResponsesStatement } from "./stored-responses.js";

export interface CreationResult<T> {
  readonly response: T;
  /** Whether this request created the resource. False if `response` is the stored response to an earlier request. */
  readonly isNew: boolean;
}

/** Thrown to roll back a transaction because a concurrent request has used one of its idempotency keys. */
const KEY_TAKEN = Symbol("key taken");

/**
 * Creates several resources of one account in one transaction, each only once per idempotency key. Requests with the same key create one resource.
 *
 * @param keys a key for each request; undefined for a request without an id.
 * @param create creates resources for the requests at the given indexes, with only the given executor. Returns the response to each request, or
 *   undefined for a request that created no resource. The key of such a request is not stored.
 * @returns for each request: the response, undefined if no resource was created, or the DomainError `IDEMPOTENCY_KEY_REUSED`.
 */
export async function createEachResourceOnce<T extends Message>(
  db: Executor,
  keys: readonly (IdempotencyKey | undefined)[],
  create: (db: Executor, indexes: readonly number[]) => Promise<readonly (T | undefined)[]>,
): Promise<readonly (CreationResult<T> | DomainError | undefined)[]> {
  const hashes = keys.map((key) => key?.keyHash.toString("hex"));
  const isRepeated = (index: number) => hashes[index] !== undefined && hashes.indexOf(hashes[index]) < index;
  for (;;) {
    const results = await findStored<T>(db, keys);
    const missing = [...keys.keys()].filter((index) => results[index] === undefined && !isRepeated(index));
    const created = await createMissing(db, keys, missing, create);
    if (created === KEY_TAKEN) continue;
    for (const [place, index] of missing.entries()) {
      const response = created[place];
      if (response !== undefined) results[index] = { response, isNew: true };
    }
    const repeated = await findStored<T>(
      db,
      keys.map((key, index) => (isRepeated(index) ? key : undefined)),
    );
    return results.map((result, index) => result ?? repeated[index]);
  }
}

/** Returns for each key the stored response, undefined if there is none, or an error if the key belongs to another request. */
async function findStored<T extends Message>(
  db: Executor,
  keys: readonly (IdempotencyKey | undefined)[],
): Promise<(CreationResult<T> | DomainError | undefined)[]> {
  const given = keys.filter((key) => key !== undefined);
  const keyHashes = [...new Set(given.map(({ keyHash }) => keyHash.toString("hex")))];
  const rows =
    given[0] === undefined ? [] : await findResponsesStatement(db, { accountId: given[0].accountId, keyHashes });
  const stored = new Map(rows.map((row) => [row.key_hash, row]));
  return keys.map((key) => {
    const row = key && stored.get(key.keyHash.toString("hex"));
    if (key === undefined || row === undefined) return undefined;
    if (!key.requestHash.equals(row.request_hash)) return new DomainError("IDEMPOTENCY_KEY_REUSED", {});
    return { response: fromBinary(key.method.output, decryptResponse(row.answer, key.requestId)) as T, isNew: false };
  });
}

async function createMissing<T extends Message>(
  db: Executor,
  keys: readonly (IdempotencyKey | undefined)[],
  missing: readonly number[],
  create: (db: Executor, indexes: readonly number[]) => Promise<readonly (T | undefined)[]>,
): Promise<readonly (T | undefined)[] | typeof KEY_TAKEN> {
  if (missing.length === 0) return [];
  const first = missing.map((index) => keys[index]).find((key) => key !== undefined);
  if (first === undefined) return create(db, missing);
  try {
    return await db.transaction(async (transaction) => {
      const created = await create(transaction, missing);
      const used = missing.flatMap((index, place) => {
        const [key, response] = [keys[index], created[place]];
        if (key === undefined || response === undefined) return [];
        return {
          key_hash: key.keyHash.toString("hex"),
          request_hash: key.requestHash.toString("hex"),
          answer: encryptResponse(toBinary(key.method.output, response), key.requestId).toString("base64"),
        };
      });
      const saved = await saveResponsesStatement(transaction, {
        accountId: first.accountId,
        keys: JSON.stringify(used),
      });
      if (saved.length < used.length) throw KEY_TAKEN;
      return created;
    });
  } catch (error) {
    if (error === KEY_TAKEN) return KEY_TAKEN;
    throw error;
  }
}
