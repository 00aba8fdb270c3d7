import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Opens a connection to a port on 127.0.0.1. Ignores connection errors, such as a write after the server has closed the connection. */
export async function openSocket(port: number, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Reads from a connection as Latin-1 text until the connection is closed. Ignores connection errors, such as a write after the end. */
export async function readAllText(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
  return text;
}

/** A connection from a test to a port on 127.0.0.1. It stores the received bytes as Latin-1 text, and is closed when the test ends. */
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
