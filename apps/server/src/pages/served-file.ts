import { createHash } from "node:crypto";

/** A file sent to browsers unchanged. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A strong entity tag of the bytes (RFC 9110 section 8.8.3). */
  readonly etag: string;
}

/** Creates a file. */
export function createFile(contentType: string, bytes: Uint8Array): ServedFile {
  return { contentType, bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
