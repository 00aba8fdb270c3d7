import type { DescMessage } from "@bufbuild/protobuf";
import type { UntypedMessage } from "./untyped-message.js";

/** The content of a `google.api.HttpBody`, which is the bytes of an HTTP body instead of JSON. */
export interface RawBody {
  /** The Content-Type of the body; empty if unknown. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

export function isRawBodyType(desc: DescMessage | undefined): boolean {
  return desc?.typeName === "google.api.HttpBody";
}

/** Reads a `google.api.HttpBody`. Returns an empty body for undefined. Throws an Error if a field has a value of the wrong type. */
export function readRawBody(message: UntypedMessage | undefined): RawBody {
  if (message === undefined) return { contentType: "", data: new Uint8Array() };
  const { contentType, data } = message;
  if (typeof contentType !== "string") throw new Error("google.api.HttpBody: content_type is not a string");
  if (!(data instanceof Uint8Array)) throw new Error("google.api.HttpBody: data is not a Uint8Array");
  return { contentType, data };
}
