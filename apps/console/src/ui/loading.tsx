import type { ComponentChildren } from "preact";
import type { Loaded } from "../api/use-load";
import { timeWithSecondsText } from "../format/time-text";
import { FailureNotice, Notice } from "./notice";
import { Placeholder } from "./placeholder";

interface LoadingProps<T> {
  readonly of: Loaded<T>;
  /** Names the value in messages, such as `pools`. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a loaded value, or a placeholder until the first one arrives. If a reload fails, shows the value with its time and the failure. */
export function Loading<T>({ of: { value, loadedAt, failure, reload }, what, children }: LoadingProps<T>) {
  return (
    <>
      {failure !== undefined && (
        <div class="stack">
          {loadedAt === undefined ? (
            <FailureNotice failure={failure} title={`Could not load ${what}`} />
          ) : (
            <Notice kind="warning">
              As of {timeWithSecondsText(loadedAt)}, could not be refreshed: {failure.message}
            </Notice>
          )}
          <p>
            <button type="button" onClick={reload}>
              Try again
            </button>
          </p>
        </div>
      )}
      {value !== undefined && children(value)}
      {value === undefined && failure === undefined && <Placeholder what={what} />}
    </>
  );
}
