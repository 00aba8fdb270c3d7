import { Code, ConnectError } from "@connectrpc/connect";
import { type HttpOptions, sendHttpRequest } from "./http-request.js";

/**
 * Returns the current time of the server in milliseconds since 1970, to the second: the `Date` of a response (RFC 9110 section
 * 6.6.1), which a refused request has too. Responses over gRPC have none.
 *
 * Returns the time of this machine if there is no such response, for example behind a proxy for gRPC only.
 *
 * @throws ConnectError if the request times out, or if `stop` aborts.
 */
export async function readServerTime(options: HttpOptions, stop: AbortSignal): Promise<number> {
  try {
    const { date } = await sendHttpRequest(options, stop, { method: "GET", path: "/call_tracking/clock" });
    return Date.parse(date ?? "") || Date.now();
  } catch (error) {
    if (stop.aborted || ConnectError.from(error).code === Code.DeadlineExceeded) throw error;
    return Date.now();
  }
}
