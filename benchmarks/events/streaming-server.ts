// A minimal server whose responses stay open, over HTTP/1.1 or HTTP/2 without TLS, for comparison with Calltrack's event streams.
import { createServer, type ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";

const BOOKMARK = `data: {"event":null,"cursor":"${"A".repeat(64)}"}\n\n`;
const BOOKMARK_MS = 20_000;

const open = new Set<ServerResponse>();

function answer(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(BOOKMARK);
  open.add(response);
  response.on("close", () => open.delete(response));
}

setInterval(() => {
  for (const response of open) response.write(BOOKMARK);
}, BOOKMARK_MS);

const server =
  process.env.HTTP2 === "1"
    ? // The compatibility API of HTTP/2 has the same methods.
      createHttp2Server((_, response) => answer(response as unknown as ServerResponse))
    : createServer((_, response) => answer(response));
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
