/**
 * Repeats a DELETE statement until it deletes fewer rows than `chunk`. Many short statements hold locks only briefly, and let other
 * statements run in between.
 *
 * @param run executes the statement: deletes at most `limit` rows and returns one entry per deleted row.
 * @returns the total number of deleted rows.
 */
export async function deleteInChunks(
  chunk: number,
  run: (limit: number) => Promise<readonly unknown[]>,
): Promise<number> {
  let sum = 0;
  for (;;) {
    const { length } = await run(chunk);
    sum += length;
    if (length < chunk) return sum;
  }
}
