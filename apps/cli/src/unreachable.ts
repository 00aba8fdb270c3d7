import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, type ConnectError } from "@connectrpc/connect";

/** What a failure of the network or of TLS is called by a person, by the code that Node.js has for it. */
const causeTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  EHOSTUNREACH: "no route leads to the host",
  ENETUNREACH: "no route leads to the network",
};

/** The codes of {@link causeTexts} under which no byte of the request can have reached the service. */
const neverSent: readonly string[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

/** The codes that another server, a proxy or a broken connection causes rather than this service, which explains all of its errors. */
const foreignCodes: readonly Code[] = [Code.Unknown, Code.Internal, Code.Unimplemented, Code.Aborted, Code.Canceled];

/** Tells whether a request failed because the service did not answer it, rather than refuse it. */
export function isUnreachable(error: ConnectError): boolean {
  if (error.code === Code.Unavailable || error.code === Code.DeadlineExceeded) return true;
  return foreignCodes.includes(error.code) && error.findDetails(ErrorInfoSchema).length === 0;
}

/** Tells whether a request certainly never arrived, so that sending it again can't do anything twice. */
export function wasNeverSent(error: unknown): boolean {
  return causeCodes(error).some((code) => neverSent.includes(code));
}

/** Says why the service did not answer, in the service's own words where it has some. */
export function unreachableText(error: ConnectError): string {
  if (error.findDetails(ErrorInfoSchema).length > 0) return error.rawMessage;
  const known = causeCodes(error).find((code) => code in causeTexts);
  return (known !== undefined && causeTexts[known]) || error.rawMessage;
}

function causeCodes(error: unknown): string[] {
  const codes: string[] = [];
  for (let cause = error; cause instanceof Error && codes.length < 10; cause = cause.cause) {
    codes.push(String((cause as NodeJS.ErrnoException).code));
    if (cause instanceof AggregateError) codes.push(...cause.errors.flatMap(causeCodes));
  }
  return codes;
}
