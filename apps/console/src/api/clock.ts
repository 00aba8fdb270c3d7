import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { apiClient } from "./client";

/** Returns the server's current time. A server with a virtual clock can be ahead of the browser. */
export async function readServerTime(signal: AbortSignal): Promise<Date> {
  const { now } = await apiClient(ClockService).getClock({}, { signal });
  return now === undefined ? new Date() : timestampDate(now);
}
