import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { codeToName, httpStatusFromCode } from "@calltrack/transcoding";
import { type Code, ConnectError } from "@connectrpc/connect";
import { ERROR_DOMAIN } from "./domain-error.js";
import { NOSNIFF } from "./nosniff.js";

/** A request that HTTP itself refuses, before any route is looked for. */
export interface HttpRefusal {
  readonly statusCode: number;
  /** In the shape of every other error. */
  readonly body: string;
}

/** The host is missing, malformed or not the only one. */
export const HOST_MALFORMED = "the Host header is missing, malformed or not the only one: send the host and port once";

/** The host, of which Connect builds a URL, is missing or malformed, or there is more than one (RFC 9112 section 3.2). */
export const UNUSABLE_HOST = createRefusal(400, "INVALID_ARGUMENT", "HOST_MALFORMED", HOST_MALFORMED);

/** The target is neither a path nor an http or https URL (RFC 9112 section 3.2). */
export const UNUSABLE_TARGET = createRefusal(
  400,
  "INVALID_ARGUMENT",
  "PATH_MALFORMED",
  "the request target is malformed: send a path that begins with a slash, or an http or https URL without user name",
);

/** CONNECT asks for a tunnel. */
export const NO_TUNNEL = createRefusal(
  405,
  "UNIMPLEMENTED",
  "METHOD_NOT_ALLOWED",
  "CONNECT is not allowed: this server is no proxy",
);

/** An Expect header with anything but 100-continue (RFC 9110 section 10.1.1). */
export const UNKNOWN_EXPECTATION = createRefusal(
  417,
  "INVALID_ARGUMENT",
  "EXPECTATION_UNSUPPORTED",
  "the Expect header can only be 100-continue",
);

/** The refusal of a connection, and why it is refused. */
export interface ParserRefusal {
  readonly reason: "HEADERS_TOO_LARGE" | "REQUEST_TIMEOUT" | "REQUEST_MALFORMED";
  readonly refusal: HttpRefusal;
}

const MALFORMED = parserRefusal(
  400,
  "INVALID_ARGUMENT",
  "REQUEST_MALFORMED",
  "the request is not well-formed HTTP/1.1",
);

/** The headers are larger than they may be, over HTTP/1.1 with the URL. */
export const HEADERS_TOO_LARGE = "the URL and headers are too large together: send fewer or shorter ones";

/** The request was not there as a whole in time. */
export const REQUEST_TIMEOUT = "the request took too long to arrive: send it faster, or less at once";

const BY_ERROR_CODE: Readonly<Record<string, ParserRefusal>> = {
  HPE_HEADER_OVERFLOW: parserRefusal(431, "INVALID_ARGUMENT", "HEADERS_TOO_LARGE", HEADERS_TOO_LARGE),
  ERR_HTTP_REQUEST_TIMEOUT: parserRefusal(408, "DEADLINE_EXCEEDED", "REQUEST_TIMEOUT", REQUEST_TIMEOUT),
};

/** The refusal of a connection on which Node's parser gave up with this error code. */
export function refusalOfParserError(code: string | undefined): ParserRefusal {
  return BY_ERROR_CODE[code ?? ""] ?? MALFORMED;
}

/** The refusal that says what an error of `connectErrorOf` says, where no method is called. */
export function refusalOfError(error: ConnectError): HttpRefusal {
  const reason = error.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  return createRefusal(httpStatusFromCode(error.code), codeToName(error.code), reason, error.rawMessage);
}

/** The whole of a response that refuses and ends the connection, for where there is only a socket. */
export function formatRefusal({ statusCode, body }: HttpRefusal): string {
  return [
    `HTTP/1.1 ${statusCode} Refused`,
    "content-type: application/json",
    NOSNIFF.join(": "),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}

/** What HTTP itself refuses, as an error that every protocol has a form of. */
export function createHttpError(code: Code, reason: string, message: string): ConnectError {
  return new ConnectError(message, code, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: ERROR_DOMAIN } },
  ]);
}

/** A refusal with a status of HTTP, the name of a code of google.rpc, a reason, and a message that says what to do. */
export function createRefusal(statusCode: number, status: string, reason: string, message: string): HttpRefusal {
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: ERROR_DOMAIN }];
  return { statusCode, body: JSON.stringify({ error: { code: statusCode, status, message, details } }) };
}

function parserRefusal(
  statusCode: number,
  status: string,
  reason: ParserRefusal["reason"],
  message: string,
): ParserRefusal {
  return { reason, refusal: createRefusal(statusCode, status, reason, message) };
}
