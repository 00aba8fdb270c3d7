import { Code, ConnectError } from "@connectrpc/connect";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { type ApiFailure, toApiFailure } from "../api/api-failure";
import { credential } from "../api/credential";

/** A request that the user starts, and its state. */
export interface UserAction<Args extends readonly unknown[]> {
  /** The name in the titles of failure messages, such as `Creating the pool`. */
  readonly name: string;
  /** Whether the request is running. Set `aria-disabled` to this value: with `disabled`, the button would lose the focus. */
  readonly isRunning: boolean;
  /** Why the last run failed; undefined during a run and after a success. */
  readonly failure: ApiFailure | undefined;
  run(...args: Args): Promise<void>;
}

/** Actions that failed after their component, such as a dialog, was removed. */
export const lateActionFailures = signal<readonly { readonly name: string; readonly failure: ApiFailure }[]>([]);

/**
 * Returns an action that sends a request. While the request is running, calls of `run` are ignored.
 *
 * @param request sends the request. Its signal aborts when the component is removed; a request that the abort cancels does not count as failed.
 */
export function useAction<Args extends readonly unknown[]>(
  name: string,
  request: (removed: AbortSignal, ...args: Args) => Promise<void>,
): UserAction<Args> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
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
        if (!removal.signal.aborted) setFailure(toApiFailure(error));
        // The next user of the tab must not see the failures of an earlier user.
        else if (ConnectError.from(error).code !== Code.Canceled && secret === credential.peek())
          lateActionFailures.value = [...lateActionFailures.peek(), { name, failure: toApiFailure(error) }];
      });
      setRunning(false);
    },
  };
}
