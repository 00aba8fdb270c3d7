import type { DescMessage, Message } from "@bufbuild/protobuf";
import { toLocalMessage } from "../values/local-message.js";

/** The number of items that are encoded at once. More would delay other requests. */
const SLICE_SIZE = 1000;

const encoder = new TextEncoder();

/** Whether a list has more than 1000 items, so that it is encoded in slices. */
export function isLongList(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > SLICE_SIZE;
}

/** Creates the function that reports whether a message has a long list. Returns undefined for a type without lists. */
export function createLongListCheck(desc: DescMessage): ((message: Message) => boolean) | undefined {
  const names = desc.fields.filter(({ fieldKind }) => fieldKind === "list").map(({ localName }) => localName);
  if (names.length === 0) return undefined;
  return (message) => names.some((name) => isLongList(toLocalMessage(message)[name]));
}

export function* sliceList<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < list.length; start += SLICE_SIZE) yield list.slice(start, start + SLICE_SIZE);
}

/** Encodes and joins the pieces of a response. Other requests proceed after each piece. */
export async function joinPieces(pieces: Iterable<string | Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (const piece of pieces) {
    chunks.push(typeof piece === "string" ? encoder.encode(piece) : piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Buffer.concat(chunks);
}
