import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeCertificates, SERVER_NAME } from "../testing/certificates.js";
import { runCli } from "../testing/cli.js";
import { createFolder } from "../testing/create-folder.js";
import { startSharedServer } from "../testing/shared-server.js";

const folder = createFolder();
const files = await makeCertificates(folder, "CN=reports");
const named = { PUBLIC_HOSTS: SERVER_NAME };
const tls = { ...named, TLS_CERT: files.server, TLS_KEY: files.serverKey };
const http = await startSharedServer({ settings: named });
const https = await startSharedServer({ settings: tls });

/** The hosts to which the proxy was asked to forward. */
let hosts: string[];

beforeEach(() => {
  hosts = [];
});

/** A proxy that forwards all requests to the test servers, whatever host a request names. */
const proxy = createServer((incoming, response) => {
  const target = new URL(incoming.url ?? "");
  hosts.push(target.host);
  const { method, headers } = incoming;
  const forwarded = request(new URL(target.pathname, http.url), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(forwarded);
});
proxy.on("connect", ({ url = "" }, socket) => {
  hosts.push(url);
  const upstream = connect(Number(new URL(https.url).port), "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    upstream.pipe(socket).pipe(upstream);
  });
  for (const each of [socket, upstream]) each.on("error", () => upstream.destroy());
});
await once(proxy.listen(0, "127.0.0.1"), "listening");
afterAll(() => void proxy.close());

function run(args: readonly string[], server: string, environment: Readonly<Record<string, string>> = {}) {
  const { port } = proxy.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "", ...environment };
  return runCli([...args, "--ca", files.ca, "--retries", "0"], { server, environment: variables });
}

describe("with a proxy in the environment", () => {
  test.each([
    [`https://${SERVER_NAME}`, `${SERVER_NAME}:443`],
    [`http://${SERVER_NAME}:81`, `${SERVER_NAME}:81`],
  ])("requests to %s go through it", async (server, host) => {
    for (const args of [
      ["accounts", "list", "-o", "json"],
      ["api", "GET", "/call_tracking/accounts"],
    ]) {
      const { exitCode, stdout, stderr } = await run(args, server);
      expect({ exitCode, stdout, stderr }).toStrictEqual({ exitCode: 0, stdout: "[]\n", stderr: "" });
    }
    expect(hosts).toStrictEqual([host, host]);
  });

  test("requests go through it even if its URL has no scheme", async () => {
    const { port } = proxy.address() as AddressInfo;
    const environment = { HTTP_PROXY: `127.0.0.1:${port}`, HTTPS_PROXY: `localhost:${port}` };
    for (const server of [`https://${SERVER_NAME}`, `http://${SERVER_NAME}:81`])
      expect(await run(["accounts", "list", "-o", "json"], server, environment)).toMatchObject({ stdout: "[]\n" });
    expect(hosts).toStrictEqual([`${SERVER_NAME}:443`, `${SERVER_NAME}:81`]);
  });

  test.each(["http://proxy host:3128", "socks5://127.0.0.1:1080"])("commands reject the URL %s", async (url) => {
    const message =
      "error: HTTPS_PROXY must be the URL of an HTTP proxy, such as http://proxy.example.com:3128: set HTTPS_PROXY for this command, or set it to an empty text to connect without a proxy\n";
    const rejected = { exitCode: 2, stdout: "", stderr: message };
    const environment = { HTTPS_PROXY: url };
    expect(await run(["accounts", "list"], `https://${SERVER_NAME}`, environment)).toStrictEqual(rejected);
  });

  test("requests to a server in NO_PROXY do not", async () => {
    const environment = { NO_PROXY: `example.com,${SERVER_NAME}` };
    expect(await run(["accounts", "list"], `https://${SERVER_NAME}`, environment)).toMatchObject({ exitCode: 3 });
    expect(hosts).toStrictEqual([]);
  });

  test("requests to this machine, and those over gRPC, do not", async () => {
    expect(await run(["accounts", "list"], http.url)).toMatchObject({ exitCode: 0 });
    const args = ["accounts", "list", "--protocol", "grpc"];
    expect(await run(args, `https://${SERVER_NAME}`)).toMatchObject({ exitCode: 3 });
    expect(hosts).toStrictEqual([]);
  });
});
