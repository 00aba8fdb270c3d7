import { DomainError } from "@calltrack/domain";
import { connectErrorOf } from "../../errors/domain-error.js";
import { EarlyRefusal } from "../../errors/early-refusal.js";

/** The answer to a request whose time is up. */
export const DEADLINE_EXCEEDED = new EarlyRefusal(connectErrorOf(new DomainError("DEADLINE_EXCEEDED", {})));
