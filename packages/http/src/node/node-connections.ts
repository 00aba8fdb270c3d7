import type { Socket } from "node:net";
import type { Connections } from "../connections.js";
import type { TlsClient } from "../tls/tls-clients.js";
import type { NodeHttp1Server } from "./node-http1-server.js";
import { createNodeHttp2Server, type NodeHttp2Options, type NodeHttp2Server } from "./node-http2-server.js";

/** Connections that Node's own servers serve. */
export class NodeConnections implements Connections {
  readonly #http1: NodeHttp1Server;
  readonly #http2: NodeHttp2Server;

  constructor(http1: NodeHttp1Server, options: NodeHttp2Options) {
    this.#http1 = http1;
    this.#http2 = createNodeHttp2Server(options);
  }

  serveHttp1(socket: Socket): void {
    this.#http1.serve(socket);
  }

  serveHttp2(socket: Socket, client: TlsClient | undefined): void {
    const close = this.#http2.serve(socket);
    client?.onRetired(close);
  }

  close(): void {
    this.#http2.close();
  }

  destroy(): void {
    this.#http2.destroy();
  }
}
