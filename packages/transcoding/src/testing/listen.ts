import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/** A listening server. Disposing of it closes the server and all its connections. */
export interface ListeningServer extends AsyncDisposable {
  readonly port: number;
  /** The URL `http://127.0.0.1:PORT`. */
  readonly url: string;
}

/** Starts a server on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<ListeningServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
