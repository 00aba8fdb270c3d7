import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectErrorShape } from "../testing/error-shape.js";
import { readAllText } from "../testing/raw-connection.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";
import { createTlsFiles } from "../testing/tls-files.js";

const TIMEOUTS = {
  headerTimeoutMs: 300,
  bodyTimeoutMs: 600,
  sendTimeoutMs: 600,
  requestTimeoutMs: 500,
  idleTimeoutMs: 20_000,
};
/** The HTTP/2 error code CANCEL (RFC 9113 section 7). */
const CANCEL = 8;

const CREATE = "POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\n";

const files = await createTlsFiles();

describe.concurrent.each(["cleartext", "TLS"])("over %s, the server", (kind) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer("postgres", {
      limits: TIMEOUTS,
      managesPools: false,
      tls: kind === "TLS" ? files.names : undefined,
    });
  });

  afterAll(() => server.stop());

  function open(protocol: string): Socket {
    const { port } = server;
    const options = { host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: [protocol] };
    return kind === "TLS" ? connectTls(options) : connectTcp(options);
  }

  /** Sends `start`, and then one byte at a time until the server closes the connection. */
  function trickle(protocol: string, start: string, byte: string): Promise<string> {
    const socket = open(protocol);
    const text = readAllText(socket);
    socket.write(start, "latin1");
    const timer = setInterval(() => socket.write(byte), 50);
    return text.finally(() => clearInterval(timer));
  }

  test.each([
    ["the request line", "GET /healthz", "x"],
    ["headers", CREATE, "x"],
    ["headers after a first request", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /", "x"],
    ["a body", `${CREATE}content-length: 1000\r\n\r\n`, " "],
    ["a chunked body", `${CREATE}transfer-encoding: chunked\r\n\r\nfff\r\n`, " "],
  ])("answers 408 to a client that sends %s byte by byte over HTTP/1.1", async (_, start, byte) => {
    const text = await trickle("http/1.1", start, byte);
    const answers = text.match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(answers.at(-1)).toBe("HTTP/1.1 408");
    expectErrorShape(408, "application/json", text.split("\r\n\r\n").at(-1) ?? "");
    expect(answers.length).toBe(start.includes("healthz HTTP") ? 2 : 1);
  });

  test.for([
    [
      "the rest of a body that was rejected",
      "POST /nothing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n",
      "123456789",
    ],
    ["an empty line", "GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n", "\r\n"],
  ])("keeps a connection idle after %s", async ([, refused = "", rest = ""], { expect }) => {
    const socket = open("http/1.1").setEncoding("latin1");
    let text = "";
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.write(refused);
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 404 .*"error"/s);
    socket.write(rest);
    // Outlasts the header timeout, which must not apply to an idle connection.
    await pause(3 * TIMEOUTS.headerTimeoutMs);
    socket.write("GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await expect.poll(() => text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 404", "HTTP/1.1 404"]);
    socket.destroy();
  });

  test("answers 408 to a client that sends a body byte by byte over HTTP/2", async () => {
    const session = connectHttp2(server.url.replace("http:", kind === "TLS" ? "https:" : "http:"), {
      rejectUnauthorized: false,
    });
    const stream = session.request({ ":method": "POST", ":path": "/call_tracking/accounts" });
    const timer = setInterval(() => stream.write(" "), 50);
    const [headers] = await once(stream, "response");
    clearInterval(timer);
    expect(headers[":status"]).toBe(408);
    session.destroy();
  });

  test("ends a stream whose client neither ends its request nor reads the response", async () => {
    const session = connectHttp2(server.url.replace("http:", kind === "TLS" ? "https:" : "http:"), {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    });
    const stream = session.request({ ":method": "POST", ":path": "/nothing" }, { endStream: false });
    stream.on("error", () => {});
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(404);
    await once(stream, "close");
    expect(stream.rstCode).toBe(CANCEL);
    session.destroy();
  });

  test("closes the connection of a client that sends the HTTP/2 preface byte by byte", async () => {
    expect(await trickle("h2", "PRI * HTTP/2.0\r\n\r\nSM", "")).not.toContain("HTTP/1.1");
  });
});
