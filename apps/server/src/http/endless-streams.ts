import type { DescMethod } from "@bufbuild/protobuf";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { Health } from "../gen/health/v1/health_pb.js";

/** Whether a method streams responses without an end, and with pauses of any length. */
export function isEndlessStreamMethod(method: DescMethod | undefined): boolean {
  return method === Health.method.watch || isEventWatchMethod(method);
}

/** Whether a method watches the event log. Event streams have a separate limit, because they stay open all day. */
export function isEventWatchMethod(method: DescMethod | undefined): boolean {
  return method === EventService.method.watchEvents;
}
