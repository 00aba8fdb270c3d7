/** One violation in a request: `field` is a path of proto names (`book.author_ids[2]`), as in `google.rpc.BadRequest`. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** The reasons why a request does not reach its method, which clients get as the `reason` of the error's `google.rpc.ErrorInfo`. */
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

/** Thrown for a request that is rejected before its method is called. The message says what to do, without parser internals. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** Every violation found, for `FIELD_INVALID`; empty otherwise. */
  readonly violations: readonly FieldViolation[];
  /** Headers of the response, such as `allow`; names in lower case. */
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
