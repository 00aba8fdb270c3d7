import type { Socket } from "node:net";

/** Reads a connection as Latin-1 text until it is closed. Ignores its errors, such as of a write after the end. */
export async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
  return text;
}
