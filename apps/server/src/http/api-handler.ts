import type { HttpHandler, HttpResponse } from "@calltrack/transcoding";
import type { RecordHandler } from "./observe-requests.js";
import { sendResponse } from "./send-response.js";

/**
 * Creates the handler of the API over all protocols.
 *
 * @param rpc serves the paths of RPCs.
 * @param json serves all other paths; unknown ones with 404.
 */
export function createApiHandler(rpc: HttpHandler, json: HttpHandler): RecordHandler {
  return (record) => {
    const { request } = record;
    const response = rpc.handle(request) ?? (json.handle(request) as Promise<HttpResponse>);
    response
      .then((given) => sendResponse(record, given))
      .catch((error) => {
        if (!request.isOver) request.fail(error);
      });
  };
}
