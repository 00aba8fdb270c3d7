import { Code, ConnectError } from "@connectrpc/connect";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { credential } from "../api/credential";
import { type Failure, failureOf } from "../api/failure";

/** A request that the user starts, and its state. */
export interface Action<Args extends readonly unknown[]> {
  /** The name in the titles of failure messages, such as `Creating the pool`. */
  readonly name: string;
  /** Use it for `aria-disabled`: with `disabled`, the button would lose the focus. */
  readonly isRunning: boolean;
  /** Why the last run failed; undefined during a run and after a success. */
  readonly failure: Failure | undefined;
  run(...args: Args): Promise<void>;
}

/** Actions that failed after their component, such as a dialog, was removed. */
export const lateFailures = signal<readonly { readonly name: string; readonly failure: Failure }[]>([]);

/**
 * Runs a request at the user's command. A run is ignored while another is in progress.
 *
 * @param request gets a signal that is aborted when the component is removed. If that cancels the request, it does not count as failed.
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
        // The next user of the tab must not see the failures of an earlier user.
        else if (ConnectError.from(error).code !== Code.Canceled && secret === credential.peek())
          lateFailures.value = [...lateFailures.peek(), { name, failure: failureOf(error) }];
      });
      setRunning(false);
    },
  };
}
