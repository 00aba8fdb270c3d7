import { BadRequestSchema, ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";

export interface ApiFailure {
  readonly message: string;
  /** The error reason in the response, such as `ETAG_MISMATCH`; empty if the response has none, or if no response arrived. */
  readonly reason: string;
  /**
   * Maps the API name of each invalid field, such as `area_code`, to the problem with its value. If several items of a list field are invalid, only
   * the first problem is kept.
   */
  readonly violations: Readonly<Record<string, string>>;
}

/** Whether the server may have executed a failed request: no response arrived, or its error reason says that the outcome is unknown. */
export function isOutcomeUnknown({ reason }: ApiFailure): boolean {
  return reason === "" || reason === "OUTCOME_UNKNOWN" || reason === "DEADLINE_EXCEEDED";
}

export function toApiFailure(error: unknown): ApiFailure {
  const failure = ConnectError.from(error);
  const reason = failure.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  const violations: Record<string, string> = {};
  for (const { field, description } of failure.findDetails(BadRequestSchema)[0]?.fieldViolations ?? []) {
    const [name = ""] = field.split("[");
    violations[name] ??= capitalizeFirstLetter(description);
  }
  return { message: messageOf(failure, reason, Object.keys(violations)), reason, violations };
}

function messageOf({ code, rawMessage }: ConnectError, reason: string, invalidFields: readonly string[]): string {
  // Browsers do not tell scripts why a request did not reach the server.
  if (reason === "" && (code === Code.Unknown || code === Code.Unavailable)) return "The server cannot be reached.";
  // A message that begins with a field name, such as `caller_number`, stays unchanged, because API names have no capital letters.
  const [firstWord = ""] = rawMessage.split(" ", 1);
  const beginsWithField = firstWord.includes("_") || invalidFields.some((name) => rawMessage.startsWith(name));
  return beginsWithField ? rawMessage : capitalizeFirstLetter(rawMessage);
}

/** Converts a message from the API, which begins with a lowercase letter, to a sentence. */
export function capitalizeFirstLetter(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
