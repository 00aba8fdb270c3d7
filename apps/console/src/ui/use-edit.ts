import { useRef, useState } from "preact/hooks";
import type { ApiFailure } from "../api/api-failure";
import type { LoadedValue } from "../api/use-load";
import { type UserAction, useAction } from "./use-action";

/** The user's changes to a loaded resource, and the action that sends them. */
export interface ResourceEdit<F> extends UserAction<readonly []> {
  /** The fields of the resource, with the user's changes. */
  readonly fields: F;
  /** The user's values that differ from those of the resource. */
  readonly changes: Partial<F>;
  /** Whether the user's changes were sent and the resource contains them. False after a later change by the user or by someone else. */
  readonly isApplied: boolean;
  change(changes: Partial<F>): void;
  run(): Promise<void>;
  /** Sends `changes`, and discards the user's earlier changes. */
  apply(changes: Partial<F>): Promise<void>;
}

interface EditOptions<T, F> {
  /** The name of the update in the titles of failure messages, such as `Updating the pool`. */
  readonly name: string;
  readonly loaded: LoadedValue<T>;
  readonly value: T;
  readonly fieldsOf: (value: T) => F;
  /** Sends changes with the etag of the loaded resource, and returns the updated value. */
  readonly send: (changes: Partial<F>) => Promise<T>;
  readonly initial?: Partial<F>;
}

/**
 * Lets the user change a loaded resource. The response to an update becomes the loaded value. Changes that the user makes while an update is being
 * sent stay. After a failure, such as a conflict or a lost response, the resource is reloaded. The user's changes stay, and count as applied if the
 * resource has them.
 */
export function useEdit<T, F extends object>(options: EditOptions<T, F>): ResourceEdit<F> {
  const { loaded, value, fieldsOf, send, initial = {} } = options;
  const current = fieldsOf(value);
  const [edits, setEdits] = useState<Partial<F>>(initial);
  /** The fields that the user has sent or, after a success, all fields of the updated resource; undefined after a later change by the user. */
  const [sent, setSent] = useState<Partial<F>>();
  const changes = omitEqual(edits, current);
  const action = useAction(options.name, async (_, wanted: Partial<F>) => {
    setEdits(wanted);
    setSent(wanted);
    try {
      const updated = await send(wanted);
      loaded.replace(updated);
      setSent((latest) => latest && fieldsOf(updated));
      setEdits((latest) => omitEqual(latest, wanted));
    } catch (error) {
      loaded.reload();
      throw error;
    }
  });
  const isRunning = action.isRunning || loaded.isLoading;
  const isChanged = Object.keys(changes).length > 0;
  // A failure ends with the changes that failed. Otherwise, it would reappear with the user's next change.
  const ended = useRef<ApiFailure>(undefined);
  if (!isChanged && !isRunning) ended.current = action.failure;
  return {
    name: action.name,
    failure: isChanged && action.failure !== ended.current ? action.failure : undefined,
    isRunning,
    fields: { ...current, ...edits },
    changes,
    isApplied: sent !== undefined && Object.keys(omitEqual(sent, current)).length === 0 && !isChanged && !isRunning,
    change(more) {
      // During a request, an edit that equals the loaded value may undo a change that was sent.
      setEdits({ ...(action.isRunning ? edits : changes), ...more });
      setSent(undefined);
    },
    run: () => action.run(changes),
    apply: action.run,
  };
}

/** Returns the fields of `edits` whose values differ from those in `others`. */
function omitEqual<F extends object>(edits: Partial<F>, others: Partial<F>): Partial<F> {
  const entries = Object.entries(edits).filter(([field, edit]) => edit !== others[field as keyof F]);
  return Object.fromEntries(entries) as Partial<F>;
}
