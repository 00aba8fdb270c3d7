import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DomainError, parseAdvanceClock } from "@calltrack/domain";
import { type Clock, ClockSchema, type ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ChangeOrigin } from "../audit/audit-table.js";
import { originOf } from "../audit/change-origin.js";
import { findNextDueTime } from "../call-trackers/pass-repository.js";
import type { PassRunner } from "../call-trackers/pass-runner.js";
import type { Executor } from "../storage/prepared-statement.js";
import { moveClock, readClock } from "./clock-repository.js";

/**
 * The implementation of ClockService.
 *
 * @param isVirtual whether the clock may be moved.
 */
export function createClockService(
  db: Executor,
  isVirtual: boolean,
  runner: Pick<PassRunner, "runDue">,
): ServiceImpl<typeof ClockService> {
  const showClock = async (): Promise<Clock> =>
    create(ClockSchema, { now: timestampFromDate(await readClock(db)), isVirtual });
  return {
    getClock: showClock,

    async advanceClock(request, context) {
      const { byMs } = parseAdvanceClock(request);
      if (!isVirtual) throw new DomainError("CLOCK_NOT_VIRTUAL", {});
      await advance(db, byMs, runner, context.signal, originOf(context));
      return showClock();
    },
  };
}

/** Stops at every moment at which a pool is due, as if time had passed by itself. */
async function advance(
  db: Executor,
  byMs: number,
  runner: Pick<PassRunner, "runDue">,
  signal: AbortSignal,
  origin: ChangeOrigin,
): Promise<void> {
  const end = new Date((await readClock(db)).getTime() + byMs);
  for (;;) {
    signal.throwIfAborted();
    await runner.runDue();
    const next = await findNextDueTime(db);
    if (next === undefined || next >= end) break;
    await moveClock(db, next, origin);
  }
  await moveClock(db, end, origin);
  await runner.runDue();
}
