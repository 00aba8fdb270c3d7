/** The content of a `google.api.HttpBody`, which travels as it is and not as JSON. */
export interface RawBody {
  /** The Content-Type, empty where none was given. */
  readonly contentType: string;
  readonly data: Uint8Array;
}
