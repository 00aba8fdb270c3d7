/** How errors look. */
export interface ErrorOptions {
  /** `aip193`: `{"error": {…}}` with the HTTP status as code (AIP-193). `status`: a bare `google.rpc.Status`. Default: aip193. */
  readonly shape?: "aip193" | "status";
  /** The domain of the `google.rpc.ErrorInfo` of errors that have none of their own. Default: empty. */
  readonly domain?: string;
}
