import { UsageError } from "../usage-error.js";

/** Decodes a stream of UTF-8, without its byte order mark. Throws a `UsageError` where it is not UTF-8, rather than import garbage. */
export async function* utf8Text(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of chunks) yield decode(() => decoder.decode(chunk, { stream: true }));
  yield decode(() => decoder.decode());
}

function decode(run: () => string): string {
  try {
    return run();
  } catch (error) {
    throw new UsageError("the file is not UTF-8 text: save it as UTF-8", { cause: error });
  }
}
