import { Code, ConnectError } from "@connectrpc/connect";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { credential } from "../api/credential";
import { type Failure, failureOf } from "../api/failure";

/** A request that the user starts. */
export interface Action<Args extends readonly unknown[]> {
  /** Its name in the titles of failures, such as `Creating the pool`. */
  readonly name: string;
  /** For `aria-disabled`: a disabled button would lose the focus. */
  readonly isRunning: boolean;
  /** Why the last run failed; undefined while it runs and after success. */
  readonly failure: Failure | undefined;
  run(...args: Args): Promise<void>;
}

/** Failed actions whose component was no longer shown, such as a closed dialog. */
export const lateFailures = signal<readonly { readonly name: string; readonly failure: Failure }[]>([]);

/**
 * Runs a request and keeps its failure to show. A run that starts while another is in progress is ignored.
 *
 * @param request gets a signal that is aborted when the component is removed. A request that ends by it is no failure.
 */
export function useAction<Args extends readonly unknown[]>(
  name: string,
  request: (removed: AbortSignal, ...args: Args) => Promise<void>,
): Action<Args> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [removal] = useState(() => new AbortController());
  useEffect(() => () => removal.abort(), [removal]);
  return {
    name,
    isRunning,
    failure,
    async run(...args) {
      if (isRunning) return;
      setRunning(true);
      setFailure(undefined);
      const secret = credential.peek();
      await request(removal.signal, ...args).catch((error: unknown) => {
        if (!removal.signal.aborted) setFailure(failureOf(error));
        // The next user of the tab does not see the failures of an earlier one.
        else if (ConnectError.from(error).code !== Code.Canceled && secret === credential.peek())
          lateFailures.value = [...lateFailures.peek(), { name, failure: failureOf(error) }];
      });
      setRunning(false);
    },
  };
}
