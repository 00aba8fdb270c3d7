import type { Connections } from "../connections.js";
import type { NodeHttp1Server } from "./node-http1-server.js";
import { createNodeHttp2Server, type NodeHttp2Options } from "./node-http2-server.js";

/** Creates `Connections` that use `node:http` and `node:http2`. */
export function createNodeConnections({ serve }: NodeHttp1Server, options: NodeHttp2Options): Connections {
  const http2 = createNodeHttp2Server(options);
  return {
    serveHttp1: serve,
    serveHttp2(socket, client) {
      const close = http2.serve(socket);
      client?.onRetired(close);
    },
    close: http2.close,
    destroy: http2.destroy,
  };
}
