import type { LogEvent } from "kysely";
import { currentContext } from "./statement-context.js";

/**
 * Creates the `log` option of a Kysely instance, which calls the traces of the current request as prepared statements do.
 *
 * @param onStatement is called with the duration of each statement since it was sent, in milliseconds.
 */
export function createStatementLog(onStatement: (ms: number) => void): (event: LogEvent) => void {
  return (event) => {
    const ms = event.queryDurationMillis;
    onStatement(ms);
    const error = event.level === "error" ? event.error : undefined;
    for (const trace of currentContext()?.traces ?? []) trace(event.query.sql, performance.now() - ms, error);
  };
}
