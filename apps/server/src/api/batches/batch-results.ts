import { DomainError } from "@calltrack/domain";
import type { CreationResult } from "../../database/idempotency/create-each-resource-once.js";

/** The result of one record in a batch; an error if the record was rejected. */
export type BatchRecordResult<T> = CreationResult<T> | DomainError;

/**
 * Creates resources from the valid records of a batch.
 *
 * @param parsed each record, or the error that rejects it.
 * @param create creates resources from the valid records, and returns their results in the same order.
 * @returns the result of each record, in the order of `parsed`.
 */
export async function createFromValidRecords<R, T>(
  parsed: readonly (R | DomainError)[],
  create: (valid: readonly R[]) => Promise<readonly BatchRecordResult<T>[]>,
): Promise<readonly BatchRecordResult<T>[]> {
  const valid = parsed.filter((record): record is R => !(record instanceof DomainError));
  const results = (valid.length === 0 ? [] : await create(valid)).values();
  return parsed.map((record) =>
    record instanceof DomainError ? record : (results.next().value as BatchRecordResult<T>),
  );
}

export function listSuccessfulResults<T>(results: readonly BatchRecordResult<T>[]): CreationResult<T>[] {
  return results.filter((result): result is CreationResult<T> => !(result instanceof DomainError));
}

/** Counts the results of a batch, and lists the rejected records with their indexes. */
export function summarizeBatch(results: readonly BatchRecordResult<unknown>[]) {
  const creations = listSuccessfulResults(results);
  const created = creations.filter(({ isNew }) => isNew).length;
  return {
    created,
    alreadyThere: creations.length - created,
    refused: results.flatMap((result, index) =>
      result instanceof DomainError ? { index, reason: result.reason, message: result.message } : [],
    ),
  };
}
