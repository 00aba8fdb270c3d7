import type { Exchange } from "@calltrack/http";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import { INTERNAL } from "../errors/http-errors.js";
import { requestFields } from "../observability/requests/request-log.js";
import { findRecord } from "../observability/requests/request-record.js";

/** Ends a request whose code threw: with INTERNAL, or with a reset if its response has begun. Logs one line. */
export type FailureHandler = (exchange: Exchange, error: unknown) => void;

/** Creates the function that ends failed requests, so that an exception costs only the request in whose code it is thrown. */
export function createFailureHandler(log: Logger): FailureHandler {
  return (exchange, error) => {
    const record = findRecord(exchange);
    if (record !== undefined) record.failure ??= Code.Internal;
    // The cause of a ConnectError was logged when it was translated.
    if (!(error instanceof ConnectError)) log.error({ ...requestFields(record), err: error }, "a request failed");
    if (exchange.isOver) return;
    if (exchange.hasResponded) exchange.abort();
    else INTERNAL.answer(exchange);
  };
}

/** Runs code of a request. An exception or a rejection ends only that request. */
export function runContained(exchange: Exchange, fail: FailureHandler, run: () => void | Promise<void>): void {
  try {
    run()?.catch((error) => fail(exchange, error));
  } catch (error) {
    fail(exchange, error);
  }
}
