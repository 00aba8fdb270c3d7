import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";

const UNKNOWN_AUTHORITY = "its certificate is signed by an unknown authority; pass the CA certificate with --ca";

/** User-facing text for each Node.js error code of an untrusted certificate. */
const untrustedTexts: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

/** User-facing text for each Node.js error code of network and TLS failures. */
const causeTexts: Readonly<Record<string, string>> = {
  ...untrustedTexts,
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "host name lookup failed",
  ETIMEDOUT: "connection timed out",
  ECONNRESET: "connection lost",
  EPIPE: "connection lost",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  EPROTO: "it does not support TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not support TLS",
};

/** Node.js error codes that mean that no byte of the request reached the service. */
const neverSentCodes: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** Status codes that mean a broken connection if the error has no details. The service's own errors have details. */
const lostCodes: readonly Code[] = [Code.Aborted, Code.Canceled];

/** Status codes that mean a response from a server other than Calltrack if the error has no details. */
const foreignCodes: readonly Code[] = [Code.Unknown, Code.Internal, Code.Unimplemented];

/** Reports whether the service did not respond, as opposed to rejecting the request. */
export function isUnreachableError(error: ConnectError): boolean {
  if (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded) return true;
  return [...lostCodes, ...foreignCodes].includes(error.code) && error.findDetails(ErrorInfoSchema).length === 0;
}

/** Reports whether the response came from a server other than Calltrack, or could not be read. */
export function isUnreadableResponseError(error: unknown): boolean {
  return error instanceof ConnectError && foreignCodes.includes(error.code) && isUnreachableError(error);
}

/** Reports whether the connection was lost before the response arrived. */
export function isConnectionLostError(error: ConnectError): boolean {
  if (listCauseCodes(error).some((code) => code === "ECONNRESET" || code === "EPIPE")) return true;
  return lostCodes.includes(error.code) && isUnreachableError(error);
}

/**
 * Reports whether a request failed because the server's certificate is untrusted: its issuer is unknown, it has expired, or it is for another host
 * name.
 */
export function isUntrustedCertificateError(error: unknown): boolean {
  return listCauseCodes(error).some((code) => code in untrustedTexts);
}

/** Reports whether a request certainly did not reach the service, so that a retry cannot take effect twice. */
export function isRequestNotSentError(error: unknown): boolean {
  return listCauseCodes(error).some((code) => neverSentCodes.includes(code));
}

/** Describes why a server did not respond, with the service's own message if it sent one. */
export function formatUnreachableError(error: ConnectError, server: string): string {
  const known = listCauseCodes(error).find((code) => code in causeTexts);
  if (known !== undefined) return `no response from ${server}: ${causeTexts[known]}`;
  if (lostCodes.includes(error.code)) return `no response from ${server}: ${causeTexts.ECONNRESET}`;
  if (!foreignCodes.includes(error.code)) return `no response from ${server}: ${error.rawMessage}`;
  return `${server} is not Calltrack: it responded with ${error.rawMessage || "another protocol"}`;
}

/** Returns the Node.js error codes of an error and its causes. */
export function listCauseCodes(error: unknown): string[] {
  const codes: string[] = [];
  for (let cause = error; cause instanceof Error && codes.length < 10; cause = cause.cause) {
    codes.push(String((cause as NodeJS.ErrnoException).code));
    if (cause instanceof AggregateError) codes.push(...cause.errors.flatMap(listCauseCodes));
  }
  return codes;
}
