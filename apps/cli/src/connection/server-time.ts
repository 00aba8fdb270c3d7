import { Code, ConnectError } from "@connectrpc/connect";
import { type HttpRequestOptions, sendHttpRequest } from "./http-request.js";

/**
 * Returns the server's current time in milliseconds since 1970, to the second. Reads it from the `Date` header of a response (RFC 9110
 * section 6.6.1): even the response to a rejected request has one, but gRPC responses have none.
 *
 * Returns this machine's time if there is no such response, for example behind a proxy that forwards only gRPC.
 *
 * @throws ConnectError if the request times out, or if `stop` aborts.
 */
export async function readServerTime(options: HttpRequestOptions, stop: AbortSignal): Promise<number> {
  try {
    const { date } = await sendHttpRequest(options, stop, { method: "GET", path: "/call_tracking/clock" });
    return Date.parse(date ?? "") || Date.now();
  } catch (error) {
    if (stop.aborted || ConnectError.from(error).code === Code.DeadlineExceeded) throw error;
    return Date.now();
  }
}
