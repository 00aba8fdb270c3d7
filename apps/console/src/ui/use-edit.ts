import { useState } from "preact/hooks";
import type { Loaded } from "../api/use-load";
import { type Action, useAction } from "./use-action";

/** The reader's changes to a loaded resource. */
export interface Edit<F> extends Action<readonly []> {
  /** The fields of the resource, with the reader's changes. */
  readonly fields: F;
  /** The fields that the reader changed to other values than the resource has. */
  readonly changes: Partial<F>;
  /** Whether the resource has the changes that were applied last. */
  readonly isApplied: boolean;
  change(changes: Partial<F>): void;
  /** Applies the changes. */
  run(): Promise<void>;
  /** Applies these changes instead of those that the reader made before. */
  apply(changes: Partial<F>): Promise<void>;
}

interface EditOptions<T, F> {
  /** The name of the update in the titles of failures, such as `Updating the pool`. */
  readonly name: string;
  readonly loaded: Loaded<T>;
  /** The last loaded value. */
  readonly value: T;
  readonly fieldsOf: (value: T) => F;
  /** Sends changes with the etag of what was loaded, and returns the value with the answer. */
  readonly send: (changes: Partial<F>) => Promise<T>;
  /** The changes to begin with. */
  readonly initial?: Partial<F>;
}

/**
 * Lets the reader change a loaded resource. The answer to an update becomes the loaded value. After a failure, such as a conflict or a lost
 * answer, the resource is loaded again: the reader's changes stay, and count as applied if the resource has them.
 */
export function useEdit<T, F extends object>(options: EditOptions<T, F>): Edit<F> {
  const { loaded, value, fieldsOf, send, initial = {} } = options;
  const current = fieldsOf(value);
  const [edits, setEdits] = useState<Partial<F>>(initial);
  const [isSent, setSent] = useState(false);
  const entries = Object.entries(edits).filter(([field, edit]) => edit !== current[field as keyof F]);
  const changes = Object.fromEntries(entries) as Partial<F>;
  const action = useAction(options.name, async (_, wanted: Partial<F>) => {
    setEdits(wanted);
    setSent(true);
    try {
      loaded.replace(await send(wanted));
      setEdits({});
    } catch (error) {
      loaded.reload();
      throw error;
    }
  });
  const isRunning = action.isRunning || loaded.isLoading;
  const isChanged = entries.length > 0;
  return {
    name: action.name,
    failure: isChanged ? action.failure : undefined,
    isRunning,
    fields: { ...current, ...edits },
    changes,
    isApplied: isSent && !isChanged && !isRunning,
    change(more) {
      setEdits({ ...changes, ...more });
      setSent(false);
    },
    run: () => action.run(changes),
    apply: action.run,
  };
}
