import type { ServerResponse } from "node:http";
import { API } from "@calltrack/domain";
import type { WholeRequest } from "@calltrack/http1";
import type { Http2Stream } from "@calltrack/http2";
import { Code } from "@connectrpc/connect";
import { EarlyRefusal } from "../../errors/early-refusal.js";
import { createHttpError } from "../../errors/http-refusal.js";
import { INFRASTRUCTURE_SERVICES } from "../../grpc-services/infrastructure-services.js";
import type { LimitMetrics } from "../../observability/metrics/limit-metrics.js";
import type { RequestHandlers } from "../request-handler.js";
import type { BodyWatch } from "./body-watch.js";
import type { CallsUnderWay } from "./calls-under-way.js";
import { OVERLOADED } from "./overload.js";
import { handleInTurn } from "./pipelining.js";

/** What is asked by those who look after the server, above all when it has too much to do. */
const ALWAYS_ANSWERED = /^\/(?:healthz|readyz|metrics|grpc\.health\.v1\.Health\/\w+)(?:$|\?)/;

/** The procedures whose request is a stream of messages, which takes as long as it will. */
const OPEN_ENDED: ReadonlySet<string> = new Set(
  [...API, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods
      .filter(({ methodKind }) => methodKind === "client_streaming" || methodKind === "bidi_streaming")
      .map(({ name }) => `/${typeName}/${name}`),
  ),
);

/**
 * Refuses, before anything of them is read, requests whose URL is too long, and all but those about health while as many calls
 * are under way as may be.
 */
export function withRequestLimits(
  maxUrlBytes: number,
  calls: CallsUnderWay,
  bodies: BodyWatch,
  { handleRequest, handleStream, handleWhole }: RequestHandlers,
  metrics: LimitMetrics,
): RequestHandlers {
  const urlTooLarge = new EarlyRefusal(
    createHttpError(Code.InvalidArgument, "URL_TOO_LARGE", `the URL must be at most ${maxUrlBytes} bytes`),
    414,
  );
  /** Counts what it refuses. */
  const findRefusal = (url: string): EarlyRefusal | undefined => {
    if (url.length > maxUrlBytes) {
      metrics.refuseRequest("URL_TOO_LARGE");
      return urlTooLarge;
    }
    if (!calls.isFull || ALWAYS_ANSWERED.test(url)) return undefined;
    metrics.refuseRequest("OVERLOADED");
    return OVERLOADED;
  };
  return {
    handleRequest(request, response) {
      // Those of HTTP/2 were streams before.
      if ("stream" in request) {
        handleRequest(request, response);
        return;
      }
      handleInTurn(request, response as ServerResponse, () => {
        const refusal = findRefusal(request.url ?? "");
        if (refusal !== undefined) {
          refusal.answerRequest(request, response);
          return;
        }
        bodies.watchRequest(request, response as ServerResponse);
        handleRequest(request, response);
      });
    },
    handleStream(stream: Http2Stream) {
      const refusal = findRefusal(stream.headers[":path"] ?? "");
      if (refusal !== undefined) {
        refusal.answerStream(stream);
        return true;
      }
      calls.noteArrival();
      const isTaken = handleStream(stream);
      if (!isTaken) stream.isOpenEnded = OPEN_ENDED.has(stream.headers[":path"] ?? "");
      return isTaken;
    },
    handleWhole(request: WholeRequest) {
      const refusal = findRefusal(request.url);
      if (refusal !== undefined) {
        refusal.answerWhole(request);
        return true;
      }
      calls.noteArrival();
      return handleWhole(request);
    },
  };
}
