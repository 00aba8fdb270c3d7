import type { DescMethod } from "@bufbuild/protobuf";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { Health } from "../gen/health/v1/health_pb.js";

/** Whether a method streams responses that never end by themselves and may pause for any time. */
export function isEndlessStream(method: DescMethod | undefined): boolean {
  return method === Health.method.watch || watchesEvents(method);
}

/** Whether a method watches the event log. Its streams have a separate limit, because they stay open all day. */
export function watchesEvents(method: DescMethod | undefined): boolean {
  return method === EventService.method.watchEvents;
}
