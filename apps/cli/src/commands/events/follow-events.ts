import type { MessageInitShape } from "@bufbuild/protobuf";
import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import {
  EventService,
  type WatchEventsRequestSchema,
  type WatchEventsResponse,
} from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { readWithReconnects } from "../../connection/retry/read-with-reconnects.js";
import { formatWaitNotice } from "../../connection/retry/wait-notice-interceptor.js";
import type { Invocation } from "../../invocation/invocation.js";

export const RECONNECTION_HELP = `
Connection:
  The command reconnects after failures of the server or the network, and continues
  after the last event, so that no event is missed or repeated. The server sends a
  message at least every 20 seconds. If no message arrives within --timeout, the
  connection counts as lost.
`;

/**
 * Yields events as they happen, and messages that contain only a cursor. Reconnects after failures, and continues after the last message. Ends at the
 * user's first interrupt, such as Ctrl-C.
 */
export function followEvents(
  invocation: Invocation,
  request: MessageInitShape<typeof WatchEventsRequestSchema>,
): AsyncGenerator<WatchEventsResponse, void> {
  const { host, notify } = invocation;
  const { server, retries, timeout } = invocation.options;
  return readWithReconnects<WatchEventsResponse>({
    // No deadline: the stream has no end.
    open: (last, signal) =>
      invocation
        .client(EventService, signal)
        .watchEvents(last === undefined ? request : { ...request, from: undefined, cursor: last.cursor }, {
          timeoutMs: 0,
        }),
    stop: host.interrupt.stop,
    retries,
    silenceMs: timeout,
    onOutage: (error) => notify(`${escapeForTerminal(formatWaitNotice(error, server))}\n`),
  });
}
