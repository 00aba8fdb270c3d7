import type { DescMessage, Message } from "@bufbuild/protobuf";
import { toLocalMessage } from "../values/local-message.js";

/** Items that are encoded at a time. More would delay other requests. */
const SLICE_SIZE = 1000;

const encoder = new TextEncoder();

/** Whether a list is encoded in slices. */
export function isLongList(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > SLICE_SIZE;
}

/** Creates the function that reports whether a message has a long list. Returns undefined for a type without lists. */
export function createLongListCheck(desc: DescMessage): ((message: Message) => boolean) | undefined {
  const names = desc.fields.filter(({ fieldKind }) => fieldKind === "list").map(({ localName }) => localName);
  if (names.length === 0) return undefined;
  return (message) => names.some((name) => isLongList(toLocalMessage(message)[name]));
}

/** Cuts a long list into slices. */
export function* sliceList<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < list.length; start += SLICE_SIZE) yield list.slice(start, start + SLICE_SIZE);
}

/** Joins pieces of a response. Other requests proceed between them. */
export async function joinPieces(pieces: Iterable<string | Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (const piece of pieces) {
    chunks.push(typeof piece === "string" ? encoder.encode(piece) : piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Buffer.concat(chunks);
}
