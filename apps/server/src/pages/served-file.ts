import { createHash } from "node:crypto";

/** A file that a browser gets as it is. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Of these bytes and no others (RFC 9110 section 8.8.3). */
  readonly etag: string;
}

/** A file of these bytes. */
export function createFile(contentType: string, bytes: Uint8Array): ServedFile {
  return { contentType, bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"` };
}
