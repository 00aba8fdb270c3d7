import { expect, test } from "vitest";
import type { BodyReceiver } from "./http-request.js";
import { readBodyChunks } from "./read-body-chunks.js";

/** A request that passes the receiver of its body to the test. */
class OpenRequest {
  readonly hasBody = true;
  receiver: BodyReceiver | undefined;
  consumed = 0;

  receive(receiver: BodyReceiver): void {
    this.receiver = receiver;
  }

  consume(bytes: number): void {
    this.consumed += bytes;
  }
}

/** Starts to read the body of a request whose first byte has arrived. */
async function startReading(signal?: AbortSignal) {
  const request = new OpenRequest();
  const chunks = readBodyChunks(request, signal);
  const first = chunks.next();
  const receiver = request.receiver as BodyReceiver;
  receiver.onData(Buffer.from("a"));
  expect(await first).toEqual({ done: false, value: new Uint8Array(Buffer.from("a")) });
  return { request, chunks, receiver };
}

test("joins the pieces that arrive before the consumer takes them, and acknowledges them when it does", async () => {
  const { request, chunks, receiver } = await startReading();
  for (let count = 0; count < 1000; count++) receiver.onData(Buffer.from("b"));
  expect(request.consumed).toBe(1);
  const { value } = await chunks.next();
  expect(Buffer.from(value ?? []).toString()).toBe("b".repeat(1000));
  expect(request.consumed).toBe(1001);
  receiver.onEnd();
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

test("yields the bytes that arrived before the end", async () => {
  const { chunks, receiver } = await startReading();
  receiver.onData(Buffer.from("b"));
  receiver.onEnd();
  expect(await chunks.next()).toMatchObject({ done: false });
  expect(await chunks.next()).toMatchObject({ done: true });
});

test("throws the reason of the signal, or the error of an aborted body", async () => {
  const abort = new AbortController();
  const stopped = await startReading(abort.signal);
  const next = stopped.chunks.next();
  abort.abort(new Error("stopped"));
  await expect(next).rejects.toThrow("stopped");
  const left = await startReading();
  left.receiver.onAbort(undefined);
  await expect(left.chunks.next()).rejects.toThrow("the client disconnected");
});

test("drops bytes that arrive after the consumer has returned", async () => {
  const { request, chunks, receiver } = await startReading();
  await chunks.return();
  receiver.onData(Buffer.from("b"));
  expect(request.consumed).toBe(1);
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});
