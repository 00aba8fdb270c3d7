import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { DomainError } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { decryptResponse, encryptResponse } from "./encrypted-response.js";
import { findResponses, saveResponses } from "./idempotency-keys.js";
import type { RequestKey } from "./request-key.js";

/** The response to a request. */
export interface Creation<T> {
  readonly response: T;
  /** Whether this call created the resource; false if it is the stored response of an earlier request. */
  readonly isNew: boolean;
}

/** Thrown to roll back a transaction because a concurrent request used one of its keys. */
const KEY_TAKEN = Symbol("key taken");

/**
 * Creates several resources of one account, each once per key, in one transaction; see `createOnce`. Keys that occur
 * more than once create one resource.
 *
 * @param keys a key for each request; undefined for a request without an id.
 * @param create creates the resources of the requests at these indexes. Returns undefined for each that it did not
 *   create, whose key is not stored. It must use the given executor only.
 * @returns for each request the response, undefined if nothing was created, or the DomainError `IDEMPOTENCY_KEY_REUSED`.
 */
export async function createEachOnce<T extends Message>(
  db: Executor,
  keys: readonly (RequestKey | undefined)[],
  create: (db: Executor, indexes: readonly number[]) => Promise<readonly (T | undefined)[]>,
): Promise<readonly (Creation<T> | DomainError | undefined)[]> {
  for (;;) {
    const results = await findStored<T>(db, keys);
    const firsts = firstIndexes(keys);
    const missing = [...keys.keys()].filter((index) => results[index] === undefined && firsts[index] === index);
    const created = await createMissing(db, keys, missing, create);
    if (created === KEY_TAKEN) continue;
    for (const [place, index] of missing.entries()) {
      const response = created[place];
      if (response !== undefined) results[index] = { response, isNew: true };
    }
    return keys.map((key, index) => results[index] ?? repeatedResult(key, keys, results, firsts[index] ?? index));
  }
}

/** Returns the stored responses by the index of their requests, and errors for keys of other requests. */
async function findStored<T extends Message>(
  db: Executor,
  keys: readonly (RequestKey | undefined)[],
): Promise<(Creation<T> | DomainError | undefined)[]> {
  const given = keys.filter((key) => key !== undefined);
  const stored = given.length === 0 ? undefined : await findResponses(db, given);
  return keys.map((key) => {
    const row = key && stored?.get(key.keyHash.toString("hex"));
    if (key === undefined || row === undefined) return undefined;
    if (!key.requestHash.equals(row.requestHash)) return new DomainError("IDEMPOTENCY_KEY_REUSED", {});
    return { response: fromBinary(key.method.output, decryptResponse(row.answer, key.requestId)) as T, isNew: false };
  });
}

async function createMissing<T extends Message>(
  db: Executor,
  keys: readonly (RequestKey | undefined)[],
  missing: readonly number[],
  create: (db: Executor, indexes: readonly number[]) => Promise<readonly (T | undefined)[]>,
): Promise<readonly (T | undefined)[] | typeof KEY_TAKEN> {
  if (missing.length === 0) return [];
  if (missing.every((index) => keys[index] === undefined)) return create(db, missing);
  try {
    return await db.transaction(async (transaction) => {
      const created = await create(transaction, missing);
      const answers = missing.flatMap((index, place) => {
        const [key, response] = [keys[index], created[place]];
        if (key === undefined || response === undefined) return [];
        return { ...key, answer: encryptResponse(toBinary(key.method.output, response), key.requestId) };
      });
      if (!(await saveResponses(transaction, answers))) throw KEY_TAKEN;
      return created;
    });
  } catch (error) {
    if (error === KEY_TAKEN) return KEY_TAKEN;
    throw error;
  }
}

/** Returns for each request the index of the first one with the same key. */
function firstIndexes(keys: readonly (RequestKey | undefined)[]): number[] {
  const firsts = new Map<string, number>();
  return keys.map((key, index) => {
    if (key === undefined) return index;
    const name = key.keyHash.toString("hex");
    const first = firsts.get(name) ?? index;
    firsts.set(name, first);
    return first;
  });
}

/** The result of a request whose key the batch also has at the index `first`. */
function repeatedResult<T>(
  key: RequestKey | undefined,
  keys: readonly (RequestKey | undefined)[],
  results: readonly (Creation<T> | DomainError | undefined)[],
  first: number,
): Creation<T> | DomainError | undefined {
  const [firstKey, result] = [keys[first], results[first]];
  if (key === undefined || firstKey === undefined) return undefined;
  if (!key.requestHash.equals(firstKey.requestHash)) return new DomainError("IDEMPOTENCY_KEY_REUSED", {});
  return result === undefined || result instanceof DomainError ? result : { ...result, isNew: false };
}
