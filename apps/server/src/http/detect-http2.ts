import type { Socket } from "node:net";

/** The first bytes of the HTTP/2 connection preface (RFC 9113 section 3.4). HTTP/1.1 reserves the method for it. */
const PREFACE_START = "PRI ";

/**
 * Peeks at the first bytes of a connection to tell HTTP/2 from HTTP/1.1. Closes the connection if they do not arrive before the timeout.
 */
export function detectHttp2(socket: Socket, timeoutMs: number, onDetected: (isHttp2: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  // Without an error listener, an early reset would crash the process. Without an end listener, a connection that ends without
  // sending a byte (a load balancer's probe) would stay half open.
  const onGone = () => socket.destroy();
  const onReadable = () => {
    const start: Buffer | null = socket.read(PREFACE_START.length);
    if (start === null) return;
    done();
    socket.unshift(start);
    onDetected(start.toString("latin1") === PREFACE_START);
  };
  const done = () => {
    clearTimeout(timer);
    socket.off("readable", onReadable).off("error", onGone).off("end", onGone).off("close", done);
  };
  socket.on("readable", onReadable).on("error", onGone).on("end", onGone).on("close", done);
}
