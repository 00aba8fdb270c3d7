import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";

/** A TCP proxy in front of a database. The proxy can move to another database, like a virtual IP address. */
export interface MovableProxy {
  readonly port: number;
  /** Closes existing connections, and forwards new ones to another port of this machine. */
  moveTo(port: number): void;
}

export async function openMovableProxy(resources: AsyncDisposableStack, targetPort: number): Promise<MovableProxy> {
  let target = targetPort;
  const sockets = new Set<Socket>();
  const server = createServer((downstream) => {
    sockets.add(downstream);
    const upstream = connect(target, "127.0.0.1");
    // Closes both sockets when either ends or fails.
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
