import { NodeExchange } from "@calltrack/http";
import { createNodeHandler } from "@calltrack/transcoding/node";
import { type ConnectNodeAdapterOptions, connectNodeAdapter } from "@connectrpc/connect-node";
import type { ContentCoding, HttpHandler } from "@calltrack/transcoding";
import { findRecord, type RequestRecord, setRecord } from "../observability/requests/request-record.js";
import type { RecordHandler } from "./observe-exchanges.js";

/**
 * Creates the handler of the API for exchanges of Node's own servers: RPCs by Connect's stock adapter, and behind it the JSON paths.
 */
export function createNodeApiHandler(
  options: Omit<ConnectNodeAdapterOptions, "contextValues" | "fallback">,
  json: HttpHandler,
  codings: readonly ContentCoding[],
): RecordHandler {
  const contextValues = (request: object) => findRecord(request) as RequestRecord;
  const fallback = createNodeHandler(json, { contextValues, codings });
  const handle = connectNodeAdapter({ ...options, contextValues, fallback });
  return (record) => {
    const { request, response } = record.exchange as NodeExchange;
    setRecord(request, record);
    handle(request, response);
  };
}
