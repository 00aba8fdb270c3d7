import type { LogEvent } from "kysely";
import { findStatementContext } from "./statement-context.js";

/**
 * Creates the option `log` for a Kysely instance, so that its statements call the traces of the current request, as prepared statements do.
 *
 * @param onStatement called after each statement with its duration in milliseconds, without the wait for a connection.
 */
export function createStatementLog(onStatement: (ms: number) => void): (event: LogEvent) => void {
  return (event) => {
    const ms = event.queryDurationMillis;
    onStatement(ms);
    const error = event.level === "error" ? event.error : undefined;
    for (const trace of findStatementContext()?.traces ?? []) trace(event.query.sql, performance.now() - ms, error);
  };
}
