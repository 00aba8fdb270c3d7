export interface RoundPlan {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
}

export type MeasureForSeconds<M> = (seconds: number) => Promise<M>;

/**
 * Calls the measurement functions in turn, A B A B, so that other activity on the machine affects all of them.
 *
 * @param reset restores the database. It is called before each measurement and at the end.
 * @returns for each round, the measurements in the order of the functions.
 */
export async function runRounds<M>(
  contestants: readonly MeasureForSeconds<M>[],
  { rounds, roundSeconds, warmUpSeconds }: RoundPlan,
  reset: () => Promise<void>,
): Promise<M[][]> {
  const runRound = async (seconds: number) => {
    const measurements: M[] = [];
    for (const measure of contestants) {
      await reset();
      measurements.push(await measure(seconds));
    }
    return measurements;
  };
  if (warmUpSeconds > 0) await runRound(warmUpSeconds);
  const measured: M[][] = [];
  for (let round = 0; round < rounds; round++) measured.push(await runRound(roundSeconds));
  await reset();
  return measured;
}
