import type { ConnectError } from "@connectrpc/connect";
import { failureToError } from "../responses/error-response.js";
import { createFailureReader } from "../responses/failure.js";
import { httpStatusFromCode } from "../responses/http-status.js";
import { appendHeaders } from "../responses/response-headers.js";
import type { ResponseHeaders } from "../transcoder-response.js";
import { encodeConnectError } from "./connect/connect-error.js";
import { createFailureFields } from "./grpc/grpc-response.js";

/** An error as each protocol sends it, made once for all the requests that are refused with it. */
export interface ErrorForms {
  /** For the JSON paths, as in AIP-193. */
  readonly json: ErrorForm;
  /** For the Connect protocol. */
  readonly connect: ErrorForm;
  /** For gRPC: headers that are the whole answer, names and values in turn. The list is frozen. */
  readonly grpc: readonly string[];
}

/** A response of HTTP. */
export interface ErrorForm {
  readonly status: number;
  readonly headers: Readonly<ResponseHeaders>;
  readonly body: string;
}

/**
 * Makes the forms of an error.
 *
 * @param domain that of the `google.rpc.ErrorInfo` of an error that has none of its own.
 * @param httpStatus that of the JSON form, where HTTP has a closer one than the error's code.
 */
export function createErrorForms(
  error: ConnectError,
  domain: string,
  httpStatus: number = httpStatusFromCode(error.code),
): ErrorForms {
  const failure = { ...createFailureReader(domain, undefined)(error, undefined), httpStatus };
  const headers: ResponseHeaders = { "content-type": "application/json" };
  appendHeaders(headers, failure.headers);
  return {
    json: { status: httpStatus, headers, body: JSON.stringify({ error: failureToError(failure) }) },
    connect: { status: httpStatusFromCode(error.code), headers, body: encodeConnectError(failure) },
    grpc: Object.freeze(createFailureFields(failure, {})),
  };
}
