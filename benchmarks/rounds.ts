export interface RoundPlan {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
}

export type Contestant<M> = (seconds: number) => Promise<M>;

/**
 * Measures contestants in turn, A B A B, so that changes on the machine affect all of them.
 *
 * @param reset restores the database. It is called before each measurement and at the end.
 * @returns for each round, the measurements in the order of the contestants.
 */
export async function runRounds<M>(
  contestants: readonly Contestant<M>[],
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
