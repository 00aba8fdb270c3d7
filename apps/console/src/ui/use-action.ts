import { useState } from "preact/hooks";
import { type Failure, failureOf } from "../api/failure";

/** A request that the user starts. */
export interface Action<Args extends readonly unknown[]> {
  /** For `aria-disabled`: a disabled button would lose the focus. */
  readonly isRunning: boolean;
  /** Why the last run failed; undefined while it runs and after success. */
  readonly failure: Failure | undefined;
  run(...args: Args): Promise<void>;
}

/** Runs a request and keeps its failure to show. A run that starts while another is in progress is ignored. */
export function useAction<Args extends readonly unknown[]>(request: (...args: Args) => Promise<void>): Action<Args> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  return {
    isRunning,
    failure,
    async run(...args) {
      if (isRunning) return;
      setRunning(true);
      setFailure(undefined);
      await request(...args).catch((error: unknown) => setFailure(failureOf(error)));
      setRunning(false);
    },
  };
}
