import { BadRequestSchema, ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";

/** A failed request, as it is shown. */
export interface Failure {
  readonly message: string;
  /** The server's stable reason, such as `ETAG_MISMATCH`; empty if the server was not reached. */
  readonly reason: string;
  /** The problem of each invalid field, by the field's name in the API, such as `area_code`. A list has that of its first invalid entry. */
  readonly violations: Readonly<Record<string, string>>;
}

/** Whether the server may have carried out the failed request: its answer is missing, or says so. */
export function isOutcomeUnknown({ reason }: Failure): boolean {
  return reason === "" || reason === "OUTCOME_UNKNOWN" || reason === "DEADLINE_EXCEEDED";
}

/** Describes the error of a request. */
export function failureOf(error: unknown): Failure {
  const failure = ConnectError.from(error);
  const reason = failure.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  const violations: Record<string, string> = {};
  for (const { field, description } of failure.findDetails(BadRequestSchema)[0]?.fieldViolations ?? []) {
    const [name = ""] = field.split("[");
    violations[name] ??= capitalized(description);
  }
  return { message: messageOf(failure, reason), reason, violations };
}

function messageOf({ code, rawMessage }: ConnectError, reason: string): string {
  // The browser does not tell why it could not reach the server.
  if (reason === "" && (code === Code.Unknown || code === Code.Unavailable)) return "The server cannot be reached.";
  return capitalized(rawMessage);
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
