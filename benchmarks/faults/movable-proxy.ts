import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of a database that can be moved to another, like a virtual IP address. */
export interface MovableProxy {
  readonly port: number;
  /** Forwards new connections to another port of this machine, and closes existing ones. */
  moveTo(port: number): void;
}

/** Starts a proxy that ends with the resources. */
export async function openMovableProxy(resources: AsyncDisposableStack, targetPort: number): Promise<MovableProxy> {
  let target = targetPort;
  const sockets = new Set<Socket>();
  const server = createServer((downstream) => {
    const upstream = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.once("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  resources.defer(() => {
    server.close();
    cut();
  });
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      target = port;
      cut();
    },
  };
}
