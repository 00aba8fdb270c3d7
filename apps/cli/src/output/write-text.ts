import { once } from "node:events";
import type { Writable } from "node:stream";

/** Writes chunks to a stream, waiting while its buffer is full. */
export async function writeText(stream: Writable, chunks: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    if (!stream.write(chunk)) await once(stream, "drain");
  }
}
