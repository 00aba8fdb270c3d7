import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { request as sendHttps } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import type { TlsSettings } from "../config/tls-files.js";
import { createCertificate } from "../testing/certificate.js";
import { createHttpServer, type HttpServerOptions } from "./http-server.js";
import type { RequestHandler } from "./request-handler.js";
import { createTlsLayer } from "./tls/tls-layer.js";

/** Responds with the properties of the connection. */
const tellPeer: RequestHandler = {
  handle(request) {
    const { peer, httpVersion } = request;
    request.respond(200, {}, [httpVersion, peer.isEncrypted, peer.certificateName].join(" "));
  },
  refuse: (request, reason) => request.respond(400, {}, reason),
  fail: (request) => request.respond(500, {}),
};

async function listen(options: HttpServerOptions): Promise<number> {
  const server = createHttpServer(tellPeer, { ...options, limits: { requestTimeoutMs: 500, ...options.limits } });
  onTestFinished(() => server.close());
  return server.listen(0, "127.0.0.1");
}

async function createFiles(): Promise<
  TlsSettings & { readonly client: { readonly cert: string; readonly key: string } }
> {
  const folder = await mkdtemp(join(tmpdir(), "http-tls-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [server, client] = [await createCertificate("01"), await createCertificate("02")];
  const files = [join(folder, "tls.crt"), join(folder, "tls.key"), join(folder, "clients.crt")] as const;
  for (const [index, text] of [server.cert, server.key, client.cert].entries())
    await writeFile(files[index] ?? "", text);
  return { certFile: files[0], keyFile: files[1], clientCaFile: files[2], client };
}

test("serves HTTP/1.1 and HTTP/2 over TLS, and identifies clients by their certificates", async () => {
  const { client, ...files } = await createFiles();
  const port = await listen({ tls: createTlsLayer(files) });
  const insecure = { rejectUnauthorized: false };
  for (const [options, name] of [
    [insecure, ""],
    [{ ...insecure, ...client }, "localhost"],
  ] as const) {
    const sent = sendHttps({ port, host: "127.0.0.1", agent: false, ...options }).end();
    const [response] = await once(sent, "response");
    expect(await text(response)).toBe(`1.1 true ${name}`);
    const session = connectHttp2(`https://127.0.0.1:${port}`, options);
    expect(await text(session.request({ ":path": "/" }))).toBe(`2.0 true ${name}`);
    session.close();
  }
});

test("closes connections beyond the limit at once, and reports them", async () => {
  const counts = { open: 0, refused: 0 };
  const connectionListener = {
    connectionOpened: () => counts.open++,
    connectionClosed: () => counts.open--,
    connectionRefused: () => counts.refused++,
  };
  const port = await listen({ limits: { maxConnections: 1 }, connectionListener });
  const first = connect(port, "127.0.0.1");
  await once(first, "connect");
  await expect.poll(() => counts.open).toBe(1);
  const second = connect(port, "127.0.0.1").resume();
  await once(second, "close");
  expect(counts).toEqual({ open: 1, refused: 1 });
  first.destroy();
  await expect.poll(() => counts.open).toBe(0);
});

test("closes idle connections", async () => {
  const port = await listen({ limits: { idleTimeoutMs: 200 } });
  const http1 = connect(port, "127.0.0.1").resume();
  http1.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  const http2 = connectHttp2(`http://127.0.0.1:${port}`);
  await text(http2.request({ ":path": "/" }));
  await Promise.all([once(http1, "close"), once(http2, "close")]);
});

test.each(["cleartext", "TLS"] as const)(
  "disconnects requests in progress at the deadline of close() over %s",
  async (kind) => {
    const files = kind === "TLS" ? await createFiles() : undefined;
    const tls = files && createTlsLayer(files);
    const handled = Promise.withResolvers<void>();
    let requests = 0;
    const handle = () => {
      if (++requests === 2) handled.resolve();
    };
    const server = createHttpServer({ ...tellPeer, handle }, { limits: { requestTimeoutMs: 200 }, tls });
    const port = await server.listen(0, "127.0.0.1");
    const options = { ...files?.client, rejectUnauthorized: false };
    const http1 = (files ? connectTls({ port, host: "127.0.0.1", ...options }) : connect(port, "127.0.0.1")).resume();
    http1.on("error", () => {}).write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    const http2 = connectHttp2(`${files ? "https" : "http"}://127.0.0.1:${port}`, options).on("error", () => {});
    const request = http2.request({ ":path": "/" }).on("error", () => {});
    await handled.promise;
    const closed = [once(http1, "close"), once(http2, "close"), once(request, "close"), once(http2, "goaway")];
    await Promise.all([server.close(), ...closed]);
  },
);

test("rejects with Node's error if it cannot listen", async () => {
  const port = await listen({});
  const other = createHttpServer(tellPeer);
  await expect(other.listen(port, "127.0.0.1")).rejects.toMatchObject({ code: "EADDRINUSE" });
});

async function text(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
