import { BadRequestSchema, ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";

export interface Failure {
  readonly message: string;
  /** The server's stable reason, such as `ETAG_MISMATCH`; empty if the server was not reached. */
  readonly reason: string;
  /** The problem with each invalid field, by the field's name in the API, such as `area_code`; for a list, the first problem in it. */
  readonly violations: Readonly<Record<string, string>>;
}

/** Whether the server may have carried out the failed request: no response arrived, or the response says so. */
export function isOutcomeUnknown({ reason }: Failure): boolean {
  return reason === "" || reason === "OUTCOME_UNKNOWN" || reason === "DEADLINE_EXCEEDED";
}

export function failureOf(error: unknown): Failure {
  const failure = ConnectError.from(error);
  const reason = failure.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  const violations: Record<string, string> = {};
  for (const { field, description } of failure.findDetails(BadRequestSchema)[0]?.fieldViolations ?? []) {
    const [name = ""] = field.split("[");
    violations[name] ??= capitalized(description);
  }
  return { message: messageOf(failure, reason, Object.keys(violations)), reason, violations };
}

function messageOf({ code, rawMessage }: ConnectError, reason: string, invalidFields: readonly string[]): string {
  // The browser does not say why it could not reach the server.
  if (reason === "" && (code === Code.Unknown || code === Code.Unavailable)) return "The server cannot be reached.";
  // The name of a field, such as `caller_number`, stays as it is written in the API.
  const [firstWord = ""] = rawMessage.split(" ", 1);
  const beginsWithField = firstWord.includes("_") || invalidFields.some((name) => rawMessage.startsWith(name));
  return beginsWithField ? rawMessage : capitalized(rawMessage);
}

/** Changes the first letter to a capital, to show a message from the API as a sentence. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
