import type { ComponentChildren } from "preact";
import type { Loaded } from "../api/use-load";
import { FailureNotice } from "./notice";
import { Placeholder } from "./placeholder";

interface LoadingProps<T> {
  readonly of: Loaded<T>;
  /** The thing that is loaded, such as `pools`. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a loaded value. Before the first one it shows a placeholder; a later failure is shown above the last value. */
export function Loading<T>({ of: { value, failure, reload }, what, children }: LoadingProps<T>) {
  return (
    <>
      {failure !== undefined && (
        <div class="stack">
          <FailureNotice failure={failure} title={`Could not load ${what}`} />
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
