import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DomainError } from "@calltrack/domain";
import { type Clock, ClockSchema } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { Executor } from "@calltrack/postgres";
import { moveVirtualClock, readPoolClock, readVirtualClock } from "../../clock/clock.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { findNextDueTime } from "../../pool-management/pass-repository.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { CLOCK_METHODS } from "./clock-methods.js";

/** @param isVirtual whether the pool clock is virtual. Only a virtual clock can be advanced. */
export function createClockService(
  db: Executor,
  isVirtual: boolean,
  runner: Pick<PassRunner, "runDue">,
): ServiceImplementation<typeof CLOCK_METHODS> {
  const showClock = async (): Promise<Clock> =>
    create(ClockSchema, { now: timestampFromDate(await readPoolClock(db)), isVirtual });
  return {
    getClock: showClock,

    async advanceClock({ byMs }, { context, origin }) {
      if (!isVirtual) throw new DomainError("CLOCK_NOT_VIRTUAL", {});
      await advanceClock(db, byMs, runner, context.signal, origin);
      return showClock();
    },
  };
}

/**
 * Advances the virtual clock step by step, and runs the due passes whenever a pool becomes due, as if the time had passed. Concurrent
 * advances, even through several servers, add up.
 *
 * @throws the reason of `signal` if the signal aborts. The clock stays at the last step before the abort.
 */
export async function advanceClock(
  db: Executor,
  byMs: number,
  runner: Pick<PassRunner, "runDue">,
  signal: AbortSignal,
  origin: ChangeOrigin,
): Promise<void> {
  for (let leftMs = byMs; leftMs > 0; ) {
    signal.throwIfAborted();
    // Reads the clock before the passes, during which the clock keeps running, so that no due time is skipped.
    const began = await readVirtualClock(db);
    await runner.runDue();
    const next = (await findNextDueTime(db, began.now)) ?? new Date(began.now.getTime() + leftMs);
    const stepMs = Math.min(leftMs, Math.max(0, next.getTime() - began.now.getTime()));
    if (await moveVirtualClock(db, began, new Date(began.now.getTime() + stepMs), origin)) leftMs -= stepMs;
  }
  await runner.runDue();
}
