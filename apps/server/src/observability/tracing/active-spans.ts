import { AsyncLocalStorage } from "node:async_hooks";
import type { Span } from "@opentelemetry/api";

/**
 * The spans of the requests on whose behalf something runs: of one, or of all those that have met in a batch. Nothing is in it
 * unless requests are traced.
 */
export const activeSpans = new AsyncLocalStorage<readonly Span[]>();

/** Runs something on behalf of several requests, whose spans were active when each asked for it. */
export function runOnBehalf<T>(spans: readonly (readonly Span[] | undefined)[], run: () => T): T {
  const all = spans.flatMap((each) => each ?? []);
  return all.length === 0 ? run() : activeSpans.run(all, run);
}
