import type { LogEvent } from "kysely";
import { currentCall } from "./call-context.js";

/**
 * Creates the `log` of a Kysely instance that reports its statements as the pipelines do.
 *
 * @param onStatement is told how long each took, in milliseconds from when it was sent.
 */
export function createStatementLog(onStatement: (ms: number) => void): (event: LogEvent) => void {
  return (event) => {
    const ms = event.queryDurationMillis;
    onStatement(ms);
    const error = event.level === "error" ? event.error : undefined;
    for (const trace of currentCall()?.traces ?? []) trace(event.query.sql, performance.now() - ms, error);
  };
}
