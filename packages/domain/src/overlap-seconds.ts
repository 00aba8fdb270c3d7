const MAX_OVERLAP_SECONDS = 604_800;

/** The rule for `overlap_seconds`, which says how long earlier secrets stay valid after a rotation. */
export function findOverlapSecondsProblem(seconds: number): string | undefined {
  return seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS ? undefined : `must be between 0 and ${MAX_OVERLAP_SECONDS}`;
}
