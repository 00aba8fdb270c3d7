import type { ContentCoding, HttpHandler, HttpResponse } from "@calltrack/transcoding";
import { ExchangeRequest } from "./exchange-request.js";
import type { RecordHandler } from "./observe-exchanges.js";
import { sendResponse } from "./send-response.js";

/**
 * Creates the handler of the API over all protocols.
 *
 * @param rpc serves the paths of RPCs.
 * @param json serves all other paths; unknown ones with 404.
 */
export function createApiHandler(
  rpc: HttpHandler,
  json: HttpHandler,
  codings: readonly ContentCoding[],
): RecordHandler {
  return (record) => {
    const request = new ExchangeRequest(record, codings);
    const response = rpc.handle(request) ?? (json.handle(request) as Promise<HttpResponse>);
    return response.then((given) => sendResponse(record, given));
  };
}
