import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";

const UNKNOWN_SIGNER = "its certificate is signed by an unknown authority, which --ca can name";

/** Why a server is not trusted, by the code that Node.js has for it. */
const distrustTexts: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_SIGNER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_SIGNER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_SIGNER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_SIGNER,
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** What a failure of the network or of TLS is called by a person, by the code that Node.js has for it. */
const causeTexts: Readonly<Record<string, string>> = {
  ...distrustTexts,
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  EHOSTUNREACH: "no route leads to the host",
  ENETUNREACH: "no route leads to the network",
  EPROTO: "it does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
};

/** The codes of {@link causeTexts} under which no byte of the request can have reached the service. */
const neverSent: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** The codes of a broken connection, where the service does not explain them: it explains all of its own errors. */
const lostCodes: readonly Code[] = [Code.Aborted, Code.Canceled];

/** The codes that another kind of server causes, under the same condition. */
const foreignCodes: readonly Code[] = [Code.Unknown, Code.Internal, Code.Unimplemented];

/** Tells whether a request failed because the service did not answer it, rather than refuse it. */
export function isUnreachable(error: ConnectError): boolean {
  if (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded) return true;
  return [...lostCodes, ...foreignCodes].includes(error.code) && error.findDetails(ErrorInfoSchema).length === 0;
}

/** Tells whether a request was answered by what is not an answer of the service, or by none that can be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ConnectError && foreignCodes.includes(error.code) && isUnreachable(error);
}

/** Tells whether anything that a request threw means that no answer came: whether it was done is not known. */
export function wasNotAnswered(error: unknown): boolean {
  return error instanceof ConnectError && isUnreachable(error);
}

/** Tells whether the connection was lost before the answer came. */
export function wasLost(error: ConnectError): boolean {
  if (causeCodes(error).some((code) => code === "ECONNRESET" || code === "EPIPE")) return true;
  return lostCodes.includes(error.code) && isUnreachable(error);
}

/** Tells whether the server is there, and its certificate is not to be trusted. */
export function isDistrusted(error: unknown): boolean {
  return causeCodes(error).some((code) => code in distrustTexts);
}

/** Tells whether nobody is called what the service's host is. */
export function isUnknownHost(error: unknown): boolean {
  return causeCodes(error).includes("ENOTFOUND");
}

/** Tells whether the host's name could not be looked up for the moment. */
export function wasNotLookedUp(error: unknown): boolean {
  return causeCodes(error).includes("EAI_AGAIN");
}

/** Tells whether a request certainly never arrived, so that sending it again can't do anything twice. */
export function wasNeverSent(error: unknown): boolean {
  return causeCodes(error).some((code) => neverSent.includes(code));
}

/** Says that a server did not answer and why, in the service's own words where it has some. */
export function unreachableText(error: ConnectError, server: string): string {
  const known = causeCodes(error).find((code) => code in causeTexts);
  if (known !== undefined) return `no answer from ${server}: ${causeTexts[known]}`;
  if (lostCodes.includes(error.code)) return `no answer from ${server}: ${causeTexts.ECONNRESET}`;
  if (!foreignCodes.includes(error.code)) return `no answer from ${server}: ${error.rawMessage}`;
  return `${server} is not the call-tracking service: it answered ${error.rawMessage || "in another protocol"}`;
}

function causeCodes(error: unknown): string[] {
  const codes: string[] = [];
  for (let cause = error; cause instanceof Error && codes.length < 10; cause = cause.cause) {
    codes.push(String((cause as NodeJS.ErrnoException).code));
    if (cause instanceof AggregateError) codes.push(...cause.errors.flatMap(causeCodes));
  }
  return codes;
}
