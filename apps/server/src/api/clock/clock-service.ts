import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DomainError, parseAdvanceClock } from "@calltrack/domain";
import { type Clock, ClockSchema, type ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { Executor } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import { originOf } from "../../access/change-origin.js";
import { readClock } from "../../pool-management/clock.js";
import type { PassRunner } from "../../pool-management/pass-runner.js";
import { advanceClock } from "./advance-clock.js";

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
      await advanceClock(db, byMs, runner, context.signal, originOf(context));
      return showClock();
    },
  };
}
