import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Opens a connection to a local port. Ignores its errors, such as a write after the server has closed it. */
export async function openSocket(port: number, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Reads a connection as Latin-1 text until it is closed. Ignores its errors, such as a write after the end. */
export async function readAllText(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
  return text;
}

/** A test's connection to a local port, and the Latin-1 text received so far. The end of the test closes it. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>;
  text = "";

  /** @param bytes sent immediately, each character as one byte. */
  constructor(port: number, bytes: string) {
    this.socket = connect(port, "127.0.0.1").setEncoding("latin1");
    this.socket
      .on("error", () => {})
      .on("data", (chunk: string) => {
        this.text += chunk;
      });
    this.closed = once(this.socket, "close");
    onTestFinished(() => void this.socket.destroy());
    this.socket.write(bytes, "latin1");
  }
}
