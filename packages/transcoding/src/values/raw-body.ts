import type { DescMessage } from "@bufbuild/protobuf";
import type { LocalMessage } from "./local-message.js";

/** The content of a `google.api.HttpBody`, which is sent unchanged and not as JSON. */
export interface RawBody {
  /** The Content-Type; empty if none was given. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

export function isRawBody(desc: DescMessage | undefined): boolean {
  return desc?.typeName === "google.api.HttpBody";
}

/** Reads a `google.api.HttpBody`; an unset one is empty. Throws an Error if its fields have values of wrong types. */
export function readRawBody(message: LocalMessage | undefined): RawBody {
  if (message === undefined) return { contentType: "", data: new Uint8Array() };
  const { contentType, data } = message;
  if (typeof contentType !== "string") throw new Error("google.api.HttpBody: content_type is not a string");
  if (!(data instanceof Uint8Array)) throw new Error("google.api.HttpBody: data is not a Uint8Array");
  return { contentType, data };
}
