import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DomainError } from "@calltrack/domain";
import { type Clock, ClockSchema } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { Executor } from "@calltrack/postgres";
import { moveClock, readClock, readVirtualClock } from "../../clock/clock.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { findNextDueTime } from "../../pool-management/pass-repository.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";
import type { ServiceOf } from "../methods/method-row.js";
import type { CLOCK_METHODS } from "./clock-methods.js";

/** @param isVirtual whether the clock can be advanced. */
export function createClockService(
  db: Executor,
  isVirtual: boolean,
  runner: Pick<PassRunner, "runDue">,
): ServiceOf<typeof CLOCK_METHODS> {
  const showClock = async (): Promise<Clock> =>
    create(ClockSchema, { now: timestampFromDate(await readClock(db)), isVirtual });
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
 * @throws the reason of `signal` if it aborts. The clock then stays at the step that it has reached.
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
    // The clock keeps running during passes. It is read first, so that no due time is skipped.
    const began = await readVirtualClock(db);
    await runner.runDue();
    const next = (await findNextDueTime(db, began.now)) ?? new Date(began.now.getTime() + leftMs);
    const stepMs = Math.min(leftMs, Math.max(0, next.getTime() - began.now.getTime()));
    if (await moveClock(db, began, new Date(began.now.getTime() + stepMs), origin)) leftMs -= stepMs;
  }
  await runner.runDue();
}
