/** A content coding of RFC 9110 section 8.4.1 as a runtime offers it. */
export interface ContentCoding {
  readonly name: "gzip" | "br" | "zstd";
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Throws a `RequestError` when the bytes are damaged, or would exceed `maxBytes` decoded. */
  decode(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}
