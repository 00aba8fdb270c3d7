import { once } from "node:events";
import type { Writable } from "node:stream";

/** Writes chunks to a stream one by one, each when the stream has room for it. */
export async function writeText(stream: Writable, chunks: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    if (!stream.write(chunk)) await once(stream, "drain");
  }
}
