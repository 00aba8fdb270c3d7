import { type ConnectErrorJson, readConnectDetails } from "./grpc-client.js";
import type { ErrorDetail } from "./refusal.js";

export interface ConnectCallResult {
  readonly httpStatus: number;
  /** The error code, such as `not_found`; undefined if the RPC succeeded. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Calls a unary method over the Connect protocol, using only `fetch`.
 *
 * @param procedure the service and method, such as `calltracking.v1.PoolService/GetPool`.
 */
export async function callConnect(
  baseUrl: string,
  procedure: string,
  request: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ConnectCallResult> {
  const response = await fetch(`${baseUrl}/${procedure}`, {
    method: "POST",
    headers: { "content-type": "application/json", "connect-protocol-version": "1", ...headers },
    body: JSON.stringify(request),
  });
  const body = (await response.json()) as Partial<ConnectErrorJson> & ConnectCallResult["body"];
  const { code, message } = body;
  return { httpStatus: response.status, code, message, details: readConnectDetails(body), body };
}
