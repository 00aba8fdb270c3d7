import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";

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
    sockets.add(downstream);
    const upstream = connect(target, "127.0.0.1");
    // Ends both when either ends or fails.
    pipeline(downstream, upstream, downstream, () => sockets.delete(downstream));
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
