import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type ConnectionOptions, connect } from "node:tls";

/** A proxy that adds TLS to plain connections, like the sidecar of a service mesh. */
export interface TlsSidecar {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a sidecar in front of a port on 127.0.0.1. `options`, such as a client certificate, apply to the sidecar's TLS connections to `targetPort`.
 */
export async function openTlsSidecar(targetPort: number, options: ConnectionOptions): Promise<TlsSidecar> {
  const sockets = new Set<Socket>();
  const server = createServer((downstream) => {
    const upstream = connect({ ...options, host: "127.0.0.1", port: targetPort });
    for (const socket of [downstream, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        downstream.destroy();
        upstream.destroy();
      });
    }
    downstream.pipe(upstream).pipe(downstream);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
