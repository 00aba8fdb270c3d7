import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createTlsFiles } from "../testing/tls-files.js";
import { createHttpServer } from "./http-server.js";
import { createTlsLayer } from "./tls/tls-layer.js";

const files = await createTlsFiles();

test("disconnects in-flight requests over TLS at the deadline of close()", async () => {
  const { cert } = files.certificate;
  let requests = 0;
  const server = createHttpServer(
    { handle: () => void requests++, refuse: () => expect.unreachable(), fail: () => expect.unreachable() },
    { limits: { requestTimeoutMs: 200 }, tls: createTlsLayer(files.names, pino({ level: "silent" })) },
  );
  const port = await server.listen(0, "127.0.0.1");
  const http1 = connectTls({ port, host: "127.0.0.1", ca: cert })
    .on("error", () => {})
    .resume();
  http1.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const http2 = connectHttp2(`https://localhost:${port}`, { ca: cert }).on("error", () => {});
  const request = http2.request({ ":path": "/" }).on("error", () => {});
  await expect.poll(() => requests).toBe(2);
  const closed = [once(http1, "close"), once(http2, "close"), once(request, "close"), once(http2, "goaway")];
  await Promise.all([server.close(), ...closed]);
});
