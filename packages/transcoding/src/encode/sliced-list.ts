import type { DescMessage, Message } from "@bufbuild/protobuf";
import { toUntypedMessage } from "../values/untyped-message.js";

/** How many items of a list are encoded at once. Encoding more would delay other requests. */
const SLICE_SIZE = 1000;

const encoder = new TextEncoder();

/** Whether a value is a list of more than 1000 items, which is encoded in slices. */
export function isLongList(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > SLICE_SIZE;
}

/** Creates the function that reports whether a message contains a list of more than 1000 items. Returns undefined for a type without lists. */
export function createLongListCheck(desc: DescMessage): ((message: Message) => boolean) | undefined {
  const names = desc.fields.filter(({ fieldKind }) => fieldKind === "list").map(({ localName }) => localName);
  if (names.length === 0) return undefined;
  return (message) => names.some((name) => isLongList(toUntypedMessage(message)[name]));
}

export function* sliceList<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < list.length; start += SLICE_SIZE) yield list.slice(start, start + SLICE_SIZE);
}

/** Joins the pieces of a response, and encodes strings in UTF-8. Other requests proceed after each piece. */
export async function joinResponsePieces(pieces: Iterable<string | Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (const piece of pieces) {
    chunks.push(typeof piece === "string" ? encoder.encode(piece) : piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Buffer.concat(chunks);
}
