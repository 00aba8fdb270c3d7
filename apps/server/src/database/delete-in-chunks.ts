/**
 * Runs a statement that deletes at most a chunk of rows until there is less than a chunk left: short statements hold no locks for
 * long, and leave room for others in between.
 *
 * @returns the number of all rows that it gave.
 */
export async function deleteInChunks(
  chunk: number,
  run: (most: number) => Promise<readonly unknown[]>,
): Promise<number> {
  let sum = 0;
  for (;;) {
    const { length } = await run(chunk);
    sum += length;
    if (length < chunk) return sum;
  }
}
