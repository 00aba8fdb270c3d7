import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";
import { callUnary, createGrpcConnection, getApiMethodDefinition } from "../testing/grpc-client.js";
import { createGrpcOverTls } from "../testing/over-tls.js";
import { openSocket, RawConnection, readAllText } from "../testing/raw-connection.js";
import { type ServerProcess, startServerProcess } from "../testing/server-process.js";
import { createTlsFiles } from "../testing/tls-files.js";

const { certificate, names } = await createTlsFiles();

let server: ServerProcess;

beforeAll(async () => {
  const { environment } = await createDataLocation("postgres");
  const tls = { TLS_CERT: names.certFile, TLS_KEY: names.keyFile };
  server = await startServerProcess({ ...environment, ...tls, OPS_PORT: "127.0.0.1:0" });
});

afterAll(() => server.stop());

const TLS_REQUIRED = "use https:// instead of http://";

const TLS_UNSUPPORTED = "use http:// instead of https://";

/** Expects an HTTP/1.1 response that ends the connection. */
function expectRefusal(text: string, reason: string, message: string): void {
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(text).toMatch(/^connection: close\r$/im);
  expect(text).toContain(reason);
  expect(text).toContain(message);
}

describe("HTTP without TLS on a port with TLS", () => {
  test.each([
    ["a page", "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"],
    ["a call with a body", "POST /call_tracking/accounts HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}"],
    ["a method that OpenSSL does not know", "DELETE / HTTP/1.1\r\nhost: localhost\r\n\r\n"],
    ["a preflight", "OPTIONS /dni HTTP/1.1\r\nhost: localhost\r\norigin: https://shop.example\r\n\r\n"],
    ["an unknown host", "GET / HTTP/1.1\r\nhost: example.com\r\n\r\n"],
    ["two requests at once", "GET /a HTTP/1.1\r\nhost: a\r\n\r\nGET /b HTTP/1.1\r\nhost: a\r\n\r\n"],
    ["a webhook of a phone system", "POST /telephony/1/voice HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\na=b"],
  ])("%s gets an error that says what to do", async (_, bytes) => {
    const connection = new RawConnection(server.port, bytes);
    await connection.closed;
    expectRefusal(connection.text, "TLS_REQUIRED", TLS_REQUIRED);
    expect(connection.text.split("HTTP/1.1 ")).toHaveLength(2);
  });

  test("a request that arrives byte by byte gets the error too", async () => {
    const socket = await openSocket(server.port);
    socket.setNoDelay();
    const answer = readAllText(socket);
    for (const byte of "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n") {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    expectRefusal(await answer, "TLS_REQUIRED", TLS_REQUIRED);
  });

  test("a gRPC client gets the error as its status", async () => {
    const client = createGrpcConnection(server.port);
    const call = callUnary(client, getApiMethodDefinition("AccountService", "CreateAccount"), {
      account_token: "acme-plain",
    });
    await expect(call).rejects.toThrow(TLS_REQUIRED);
    client.close();
  });

  test("an HTTP/2 client with prior knowledge gets the error", async () => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    const stream = session.request({ ":path": "/call_tracking/accounts" }).setEncoding("utf8");
    const [headers] = await once(stream, "response");
    expect(headers[":status"]).toBe(400);
    expect((await stream.toArray()).join("")).toContain(TLS_REQUIRED);
    session.close();
  });

  test("other bytes close the connection", async () => {
    const connection = new RawConnection(server.port, "\x00\x01\x02\x03\r\n\r\n");
    await connection.closed;
    expect(connection.text).not.toContain("HTTP/1.1");
  });

  test("a client with an old TLS version gets a TLS alert", async () => {
    const socket = connectTls({
      port: server.port,
      host: "127.0.0.1",
      maxVersion: "TLSv1.1",
      ciphers: "ALL:@SECLEVEL=0",
    });
    const [error] = await once(socket, "error");
    expect(String(error)).toMatch(/protocol version|no protocols available/);
  });

  test("writes nothing to the log", async () => {
    const client = createGrpcOverTls(server.port, certificate.cert);
    await callUnary(client, getApiMethodDefinition("AccountService", "ListAccounts"), {});
    client.close();
    const lines = server.log.map(({ msg }) => msg);
    expect(lines.filter((line) => /handshake|TLS|request/.test(String(line)))).toEqual([]);
  });
});

/** Starts a handshake, which fails, and returns the error. */
async function handshake(port: number): Promise<Error> {
  const [error] = await once(connectTls({ port, host: "127.0.0.1" }), "error");
  return error;
}

/** The first bytes of a ClientHello. */
const CLIENT_HELLO = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

describe("TLS on a port without TLS", () => {
  test("is rejected with an error that says what to do, and is logged once", async () => {
    const { environment } = await createDataLocation("postgres");
    await using plain = await startServerProcess({ ...environment, OPS_PORT: "127.0.0.1:0" });
    for (let turn = 0; turn < 3; turn++) {
      expect(String(await handshake(plain.port))).toMatch(/wrong version number|packet length too long/);
    }
    for (const port of [plain.port, Number(new URL(await plain.opsUrl()).port)]) {
      const connection = new RawConnection(port, CLIENT_HELLO);
      await connection.closed;
      expectRefusal(connection.text, "TLS_UNSUPPORTED", TLS_UNSUPPORTED);
    }
    const { stderr } = await plain.stop();
    expect(stderr.match(/set TLS_CERT and TLS_KEY/g)).toHaveLength(1);
  });

  test("is rejected by the metrics port of a server with TLS", async () => {
    const connection = new RawConnection(Number(new URL(await server.opsUrl()).port), CLIENT_HELLO);
    await connection.closed;
    expectRefusal(connection.text, "TLS_UNSUPPORTED", TLS_UNSUPPORTED);
  });
});
