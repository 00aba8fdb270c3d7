import type { CallContext } from "./call-context.js";
import type { MethodOptions } from "./recorded-method.js";

/** Runs the work of a unary call until its deadline, if it has one; see `CallContext.race`. */
export function runCall<T>(
  context: CallContext,
  { aroundDeadline }: Pick<MethodOptions, "aroundDeadline">,
  work: () => Promise<T>,
): Promise<T> {
  if (!context.hasDeadline) return work();
  return context.race(aroundDeadline === undefined ? work : () => aroundDeadline(context.signal, work));
}
