import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  EventService,
  type WatchEventsRequestSchema,
  type WatchEventsResponse,
} from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { visibleText } from "@calltrack/domain/visible-text";
import { reconnect } from "../../connection/retry/reconnect.js";
import { waitText } from "../../connection/retry/wait-notice-interceptor.js";
import type { Invocation } from "../../invocation/invocation.js";

export const CONNECTION_HELP = `
Connection:
  The command reconnects after failures of the server or the network, and continues
  after the last event, so that no event is missed or repeated. The server sends a
  message at least every 20 seconds. If none arrives within --timeout, the connection
  counts as lost.
`;

/**
 * Yields events as they happen, and messages that have only a cursor, until the first interrupt. Reconnects after failures, and continues
 * after the last message.
 */
export function followEvents(
  invocation: Invocation,
  request: MessageInitShape<typeof WatchEventsRequestSchema>,
): AsyncGenerator<WatchEventsResponse, void> {
  const { host, notify } = invocation;
  const { server, retries, timeout } = invocation.options;
  return reconnect<WatchEventsResponse>({
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
    onOutage: (error) => notify(`${visibleText(waitText(error, server))}\n`),
  });
}
