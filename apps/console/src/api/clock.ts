import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { api } from "./client";

/** Reads the time from the server's clock, which can be ahead of the browser's if it is virtual. */
export async function serverTime(signal: AbortSignal): Promise<Date> {
  const { now } = await api(ClockService).getClock({}, { signal });
  return now === undefined ? new Date() : timestampDate(now);
}
