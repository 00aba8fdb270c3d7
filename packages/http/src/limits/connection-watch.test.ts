import { once } from "node:events";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Http2Connection } from "../http2/http2-connection.js";
import { createHttp2Options } from "../http2/testing/test-peer.js";
import { ConnectionWatch, WatchedSocket } from "./connection-watch.js";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.js";

const KB = 1024;

/** A socket with unsent bytes whose client does not read. */
class UnreadSocket extends Duplex {
  bytesRead = 0;
  bytesWritten = 0;

  constructor(unread: number) {
    super({ read() {}, write() {} });
    if (unread > 0) this.send(unread);
  }

  send(bytes: number): void {
    this.bytesWritten += bytes;
    this.write(Buffer.alloc(bytes));
  }
}

let limits: HttpLimits;
let watch: ConnectionWatch;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});

afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

function createWatch(settings: Partial<HttpLimits> = {}): void {
  limits = { ...DEFAULT_HTTP_LIMITS, maxUnsentBytes: 1000 * KB, ...settings };
  watch = new ConnectionWatch(limits);
}

function openHttp1(unread = 0): UnreadSocket {
  const socket = new UnreadSocket(unread);
  watch.add(new WatchedSocket(socket as unknown as Socket, limits));
  return socket;
}

function openHttp2(unread: number): UnreadSocket {
  const socket = new UnreadSocket(0);
  const options = createHttp2Options(() => {});
  watch.add(new Http2Connection(socket, options));
  socket.send(unread);
  return socket;
}

const isDestroyed = (sockets: readonly Duplex[]) => sockets.map(({ destroyed }) => destroyed);

test("closes the connections with the most unsent bytes, and no more than necessary", () => {
  createWatch();
  const sockets = [100, 500, 300, 400].map((size) => openHttp1(size * KB));
  vi.advanceTimersByTime(1000);
  expect(isDestroyed(sockets)).toEqual([false, true, false, false]);
});

test("closes no connection at exactly the limit", () => {
  createWatch();
  const sockets = [400, 600].map((size) => openHttp1(size * KB));
  vi.advanceTimersByTime(1000);
  expect(isDestroyed(sockets)).toEqual([false, false]);
});

test("adds up the unsent bytes of HTTP/1.1 and HTTP/2", () => {
  createWatch();
  const sockets = [openHttp1(300 * KB), openHttp2(600 * KB), openHttp2(200 * KB)];
  vi.advanceTimersByTime(1000);
  expect(isDestroyed(sockets)).toEqual([false, true, false]);
});

test("does not count closed connections", async () => {
  createWatch();
  const [closed, open] = [openHttp1(900 * KB), openHttp1(500 * KB)];
  const http2 = openHttp2(900 * KB);
  for (const socket of [closed, http2]) await once(socket.destroy(), "close");
  const destroyed = [closed, http2].map((socket) => vi.spyOn(socket, "destroy"));
  vi.advanceTimersByTime(1000);
  expect(open.destroyed).toBe(false);
  for (const destroy of destroyed) expect(destroy).not.toHaveBeenCalled();
});

test("closes an idle HTTP/1.1 connection after the idle timeout", () => {
  createWatch({ idleTimeoutMs: 10_000 });
  const [idle, busy] = [openHttp1(), openHttp1()];
  for (let second = 0; second < 12; second++) {
    expect(isDestroyed([idle, busy])).toEqual([second > 10, false]);
    busy.bytesRead++;
    vi.advanceTimersByTime(1000);
  }
});

test("closes an HTTP/1.1 connection that does not read after the send timeout per megabyte", () => {
  createWatch({ sendTimeoutMs: 10_000, idleTimeoutMs: 60_000, maxUnsentBytes: 100_000 * KB });
  const [small, large] = [openHttp1(KB), openHttp1(1500 * KB)];
  const reading = openHttp1(KB);
  for (let second = 0; second < 22; second++) {
    expect(isDestroyed([small, large, reading])).toEqual([second > 10, second > 20, false]);
    reading.bytesWritten++;
    vi.advanceTimersByTime(1000);
  }
});

test("closes no connection after stop", () => {
  createWatch();
  watch.stop();
  const large = openHttp1(2000 * KB);
  vi.advanceTimersByTime(10_000);
  expect(large.destroyed).toBe(false);
});
