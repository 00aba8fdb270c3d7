import type { WholeRequest } from "@calltrack/http1";
import { Code } from "@connectrpc/connect";
import { outcomeOfStatus } from "./outcome.js";
import { REQUEST_ID_HEADER } from "./request-id.js";
import type { RequestObserver } from "./request-observer.js";
import { RequestRecord, setRecord } from "./request-record.js";

type WholeRequestHandler = (request: WholeRequest) => boolean;

/** As `observeRequests`, for requests that are taken as a whole from their connections. */
export function observeWholeRequests(observer: RequestObserver, handle: WholeRequestHandler): WholeRequestHandler {
  return (request) => {
    const record = new RequestRecord(request);
    setRecord(request, record);
    const isTaken = observer.serve(record, () => handle(request));
    // What is not comes again from Node's server.
    if (!isTaken) return false;
    observer.begin();
    request.addHeader(REQUEST_ID_HEADER, record.id);
    request.onEnd((status) => {
      const outcome = status === undefined ? Code.Canceled : (record.failure ?? outcomeOfStatus(status));
      observer.end(record, outcome, status);
    });
    return true;
  };
}
