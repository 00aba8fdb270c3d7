import type { Socket } from "node:net";

/** The start of the HTTP/2 connection preface (RFC 9113 section 3.4). No HTTP/1.1 request begins with it, because the method PRI is reserved. */
const PREFACE_START = "PRI ";

/** The first bytes of a TLS connection: the content type of a handshake record (RFC 8446 section 5.1) and the major version. */
const HANDSHAKE_START = [0x16, 0x03] as const;

/** Distinguishes HTTP/2 from HTTP/1.1 by the first bytes of a connection. Closes the connection if no bytes arrive before the timeout. */
export function detectHttp2(socket: Socket, timeoutMs: number, onDetected: (isHttp2: boolean) => void): void {
  peek(socket, PREFACE_START.length, timeoutMs, (start) => onDetected(start.toString("latin1") === PREFACE_START));
}

/**
 * Distinguishes cleartext HTTP from TLS by the first byte of a connection: HTTP begins with a letter, and TLS with 0x16.
 * Closes the connection if no byte arrives before the timeout.
 */
export function detectCleartextHttp(socket: Socket, timeoutMs: number, onDetected: (isClear: boolean) => void): void {
  peek(socket, 1, timeoutMs, (start) => onDetected(/[A-Za-z]/.test(start.toString("latin1"))));
}

export function isTlsHandshakeStart(bytes: Uint8Array): boolean {
  return HANDSHAKE_START.every((byte, index) => bytes[index] === byte);
}

/** Passes the first bytes of a connection to `onStart`, and leaves them in the socket for the next reader. */
function peek(socket: Socket, length: number, timeoutMs: number, onStart: (start: Buffer) => void): void {
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  // Without an error listener, an early reset would crash the process. Without an end listener, a connection that ends before its first
  // byte, as a load balancer's probe does, would stay half open.
  const onGone = () => socket.destroy();
  const onReadable = () => {
    const start: Buffer | null = socket.read(length);
    if (start === null) return;
    done();
    socket.unshift(start);
    onStart(start);
  };
  const done = () => {
    clearTimeout(timer);
    socket.off("readable", onReadable).off("error", onGone).off("end", onGone).off("close", done);
  };
  socket.on("readable", onReadable).on("error", onGone).on("end", onGone).on("close", done);
  // After an earlier `peek`, the bytes are already in the socket, which then emits no `readable` event.
  onReadable();
}
