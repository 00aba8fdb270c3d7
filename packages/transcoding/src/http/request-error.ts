/** One violation in a request, as in `google.rpc.BadRequest`. `field` is a path of proto names, such as `book.author_ids[2]`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Why a request was rejected before its method was called. Clients get it as the `reason` in the error's `google.rpc.ErrorInfo`. */
export type RequestErrorReason =
  | "FIELD_INVALID"
  | "BODY_MALFORMED"
  | "BODY_TOO_LARGE"
  | "CONTENT_TYPE_UNSUPPORTED"
  | "CONTENT_ENCODING_UNSUPPORTED"
  | "FRAME_MALFORMED"
  | "NOT_ACCEPTABLE"
  | "PATH_MALFORMED"
  | "ROUTE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "HEADER_MALFORMED"
  | "ETAG_MISMATCH";

/** Thrown for a request that is rejected before its method is called. Clients see the message, which says what is wrong and what to do. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** All violations that were found, if the reason is `FIELD_INVALID`; otherwise empty. */
  readonly violations: readonly FieldViolation[];
  /** Headers for the error response, such as `allow`, keyed by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly reason: RequestErrorReason,
    message: string,
    details: { violations?: readonly FieldViolation[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.violations = details.violations ?? [];
    this.headers = details.headers ?? {};
  }
}
