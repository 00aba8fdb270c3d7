import type { DescMethod } from "@bufbuild/protobuf";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { Health } from "../gen/health/v1/health_pb.js";

/** Whether a method is a stream that never ends by itself, and that may pause without limit. */
export function isEndless(method: DescMethod | undefined): boolean {
  return method === Health.method.watch || isWatcher(method);
}

/** Whether a method watches the event log. Watchers have a limit of their own, because they are open all day. */
export function isWatcher(method: DescMethod | undefined): boolean {
  return method === EventService.method.watchEvents;
}
