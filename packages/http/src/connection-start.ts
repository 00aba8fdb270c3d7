import type { Socket } from "node:net";

/** The first bytes of the HTTP/2 connection preface (RFC 9113 section 3.4). No HTTP/1.1 request begins with them. */
const PREFACE_START = "PRI";

/**
 * Reads the first bytes of a connection, puts them back and tells whether they are of HTTP/2. A connection that sends too few of them
 * is closed after the timeout.
 */
export function readStart(socket: Socket, timeoutMs: number, then: (isHttp2: boolean) => void): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  // Without a listener, a connection that is reset this early would end the process; one that ends without a byte, as the probes of
  // load balancers do, would stay half open.
  const onGone = () => socket.destroy();
  const onReadable = () => {
    const start: Buffer | null = socket.read(PREFACE_START.length);
    if (start === null) return;
    done();
    socket.unshift(start);
    then(start.toString("latin1") === PREFACE_START);
  };
  const done = () => {
    clearTimeout(timer);
    socket.off("readable", onReadable).off("error", onGone).off("end", onGone).off("close", done);
  };
  socket.on("readable", onReadable).on("error", onGone).on("end", onGone).on("close", done);
}
