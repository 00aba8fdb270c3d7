import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** No other program uses this address. On 127.0.0.1, any connection could take the port of a closed proxy. */
const HOST = "127.0.0.77";

/** A TCP proxy between a client and a server, which a test can close and reopen while both run. */
export interface TcpProxy {
  /** The address and port, such as `127.0.0.77:5432`. */
  readonly host: string;
  /** Destroys all connections and stops accepting new ones. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Stops forwarding all bytes until `release` is called, like a broken network. */
  hold(): void;
  release(): void;
  /** Stops forwarding bytes on the open connections, like a load balancer that dropped them. New connections work. */
  drop(): void;
}

export async function openTcpProxy(targetPort: number, targetHost: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isHeld = false;
  const server = createServer((downstream) => {
    const upstream = connect(targetPort, targetHost);
    for (const [socket, other] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      sockets.add(socket);
      socket.on("data", (bytes) => other.write(bytes)).on("end", () => other.end());
      if (isHeld) socket.pause();
      socket.on("error", () => other.destroy());
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = async (port: number) => {
    server.listen(port, HOST);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const drop = () => {
    for (const socket of sockets) socket.pause();
  };
  const port = await listen(0);
  return {
    host: `${HOST}:${port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    open: async () => void (await listen(port)),
    hold() {
      isHeld = true;
      drop();
    },
    drop,
    release() {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
