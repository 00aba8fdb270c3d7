import { DomainError } from "@calltrack/domain";
import type { ConnectError } from "@connectrpc/connect";
import { connectErrorOf } from "../../errors/domain-error.js";
import { EarlyRefusal } from "../../errors/early-refusal.js";
import { RETRY_AFTER_S } from "./calls-under-way.js";

/** The error of a request for which there is too much to do. */
export function createOverloadError(): ConnectError {
  return connectErrorOf(new DomainError("OVERLOADED", { retryAfterS: RETRY_AFTER_S }));
}

/** The answer to such a request where it is refused before its method is called. */
export const OVERLOADED = new EarlyRefusal(createOverloadError());
