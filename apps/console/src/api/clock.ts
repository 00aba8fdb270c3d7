import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { createApiClient } from "./client";

/** Returns the server's current time. A server with a virtual clock can be ahead of the browser. */
export async function readServerTime(signal: AbortSignal): Promise<Date> {
  const { now } = await createApiClient(ClockService).getClock({}, { signal });
  return now === undefined ? new Date() : timestampDate(now);
}
