import { UsageError } from "../process/usage-error.js";

/**
 * Decodes a UTF-8 stream and removes its byte order mark.
 *
 * @throws UsageError if the stream is not valid UTF-8.
 */
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
