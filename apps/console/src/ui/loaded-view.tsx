import type { ComponentChildren } from "preact";
import type { LoadedValue } from "../api/use-load";
import { formatTimeWithSeconds } from "../format/time-text";
import { LoadingPlaceholder } from "./loading-placeholder";
import { FailureNotice, Notice } from "./notice";

interface LoadingProps<T> {
  readonly of: LoadedValue<T>;
  /** Names the value in messages, such as `pools`. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a placeholder until the value arrives, and then the value. If a reload fails, also shows when the value was loaded, and the failure. */
export function LoadedView<T>({ of: { value, loadedAt, failure, reload }, what, children }: LoadingProps<T>) {
  return (
    <>
      {failure !== undefined && (
        <div class="stack">
          {loadedAt === undefined ? (
            <FailureNotice failure={failure} title={`Could not load ${what}`} />
          ) : (
            <Notice kind="warning">
              As of {formatTimeWithSeconds(loadedAt)}, could not be refreshed: {failure.message}
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
      {value === undefined && failure === undefined && <LoadingPlaceholder what={what} />}
    </>
  );
}
