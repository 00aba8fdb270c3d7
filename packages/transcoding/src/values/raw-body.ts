import type { DescMessage } from "@bufbuild/protobuf";
import type { LocalMessage } from "./local-message.js";

/** The content of a `google.api.HttpBody`, which travels as it is and not as JSON. */
export interface RawBody {
  /** The Content-Type, empty where none was given. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Whether a message is a `google.api.HttpBody`. */
export function isRawBody(desc: DescMessage | undefined): boolean {
  return desc?.typeName === "google.api.HttpBody";
}

/** Reads a `google.api.HttpBody`; an unset one is empty. */
export function readRawBody(message: LocalMessage | undefined): RawBody {
  return message === undefined
    ? { contentType: "", data: new Uint8Array() }
    : { contentType: message.contentType as string, data: message.data as Uint8Array };
}

/** Sets the content of a `google.api.HttpBody`. */
export function setRawBody(message: LocalMessage, { contentType, data }: RawBody): void {
  message.contentType = contentType;
  message.data = data;
}
