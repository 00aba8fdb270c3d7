import type { WholeRequest } from "@calltrack/http1";
import { Code } from "@connectrpc/connect";
import { NOSNIFF } from "../../errors/nosniff.js";
import { outcomeOfStatus } from "../../observability/requests/outcome.js";
import { REQUEST_ID_HEADER } from "../../observability/requests/request-id.js";
import { type RequestExpiry, RequestRecord, setRecord } from "../../observability/requests/request-record.js";
import { DEADLINE_EXCEEDED } from "./deadline-exceeded.js";
import type { RequestObserver } from "./request-observer.js";

/** What begins the field lines of every answer: an id follows, which is visible ASCII. */
const COMMON_LINES = `${NOSNIFF.join(": ")}\r\n${REQUEST_ID_HEADER}: `;

type WholeRequestHandler = (request: WholeRequest) => boolean;

/** The request is complete and the answer is sent in one piece, so there is no progress before the answer. */
const EXPIRY: RequestExpiry = {
  progressOf: () => 0,
  expire: ({ source }) => DEADLINE_EXCEEDED.answerWhole(source as WholeRequest),
};

/** As `observeRequests`, for requests that are taken as a whole from their connections. */
export function observeWholeRequests(observer: RequestObserver, handle: WholeRequestHandler): WholeRequestHandler {
  return (request) => {
    const record = new RequestRecord(request);
    setRecord(request, record);
    const isTaken = observer.serve(record, () => handle(request));
    // What is not comes again from Node's server.
    if (!isTaken) return false;
    request.addFieldLines(`${COMMON_LINES}${record.id}\r\n`);
    request.onEnd((status) => {
      const outcome = status === undefined ? Code.Canceled : (record.failure ?? outcomeOfStatus(status));
      observer.end(record, outcome, status);
    });
    observer.begin(record, EXPIRY);
    return true;
  };
}
