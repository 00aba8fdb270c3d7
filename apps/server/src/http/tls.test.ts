import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { Agent } from "node:https";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config/config.js";
import { type Certificate, createCertificate } from "../testing/certificate.js";
import { createDataLocation } from "../testing/data-location.js";
import { callUnary, getApiMethodDefinition } from "../testing/grpc-client.js";
import { createGrpcOverTls, sendHttps } from "../testing/over-tls.js";
import { type Environment, parseLog, type ServerProcess, startServerProcess } from "../testing/server-process.js";

let database: Environment;
let folder: string;
let first: Certificate;

beforeAll(async () => {
  ({ environment: database } = await createDataLocation("postgres"));
});

beforeEach(async () => {
  folder = createFolder(onTestFinished);
  first = await createCertificate("01");
});

/** Replaces the certificate and key as Kubernetes does, by switching the symbolic link to their folder. */
async function put({ cert, key }: Certificate, version: string): Promise<void> {
  await mkdir(join(folder, version));
  await writeFile(join(folder, version, "tls.crt"), cert);
  await writeFile(join(folder, version, "tls.key"), key);
  await symlink(version, join(folder, "next"));
  await rename(join(folder, "next"), join(folder, "data"));
}

async function start(environment: Environment = {}): Promise<ServerProcess> {
  await put(first, "1");
  const [cert, key] = [join(folder, "data", "tls.crt"), join(folder, "data", "tls.key")];
  return startServerProcess({ ...database, ...environment, TLS_CERT: cert, TLS_KEY: key });
}

async function get(port: number, agent: Agent, path = "/healthz"): Promise<string> {
  return (await sendHttps({ port, path, agent })).text;
}

/** Returns the serial number of the certificate that new connections get. */
async function readSerial(port: number): Promise<string> {
  const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

test("serves HTTP/1.1, HTTP/2 and gRPC on one port, selected by ALPN, and does not wait for idle connections when it stops", async () => {
  await using server = await start({ HOST: "0.0.0.0", AUTH: "none" });
  expect(server.url).toBe(`https://0.0.0.0:${server.port}`);
  // Two connections from the same address and port are distinguished by the server's address.
  // Below the ephemeral port range, so that no other connection uses it.
  const localPort = 29_871;
  const connections = ["127.0.0.1", "127.0.0.2"].map((host) =>
    connectTcp({ host, port: server.port, localAddress: "127.0.0.1", localPort }),
  );
  await Promise.all(connections.map((socket) => once(socket, "connect")));
  const answers = connections.map(async (socket) => {
    const secure = connectTls({ socket, rejectUnauthorized: false }).setEncoding("latin1");
    secure.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    const [text] = await once(secure, "data");
    return text;
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(await get(server.port, new Agent({ ca: first.cert }))).toBe('{"status":"alive"}');
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: first.cert });
  const stream = session.request({ ":path": "/call_tracking/accounts" });
  const [headers] = await once(stream, "response");
  expect(headers[":status"]).toBe(200);
  expect(session.alpnProtocol).toBe("h2");
  stream.resume();
  await once(stream, "end");
  session.close();
  const client = createGrpcOverTls(server.port, first.cert);
  const fields = { account_token: "acme-tls" };
  expect(await callUnary(client, getApiMethodDefinition("AccountService", "CreateAccount"), fields)).toMatchObject(
    fields,
  );
  client.close();
  // Closes connections without TLS, and serves others while connections are idle.
  const plain = connectTcp(server.port, "127.0.0.1");
  plain.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await once(plain.resume(), "close");
  const silent = connectTcp(server.port, "127.0.0.1");
  await once(silent, "connect");
  const undecided = connectTls({ host: "127.0.0.1", port: server.port, ca: first.cert });
  await once(undecided, "secureConnect");
  for (const socket of [silent, undecided]) socket.on("error", () => {});
  expect(await get(server.port, new Agent({ ca: first.cert }))).toBe('{"status":"alive"}');
  expect(await server.stop()).toMatchObject({ exitCode: 0 });
  for (const socket of [silent, undecided]) socket.destroy();
});

test("loads a new certificate when the files are replaced, keeps open connections, and logs each unusable certificate", async () => {
  await using server = await start({});
  const agent = new Agent({ ca: first.cert, keepAlive: true, maxSockets: 1 });
  expect(await get(server.port, agent)).toBe('{"status":"alive"}');
  const session = connectHttp2(server.url, { ca: first.cert });
  await once(session, "connect");
  expect(await readSerial(server.port)).toBe("01");
  await put(await createCertificate("02"), "2");
  await expect.poll(() => readSerial(server.port)).toBe("02");
  // The agent trusts only the old certificate, so it must have reused its connection.
  expect(await get(server.port, agent)).toBe('{"status":"alive"}');
  const stream = session.request({ ":path": "/healthz" });
  await once(stream.resume(), "end");
  session.close();
  agent.destroy();
  const unusable = { cert: (await createCertificate("03")).cert, key: first.key };
  const countFailures = () =>
    server.log.filter(({ msg }) => /keeping the current certificate/.test(String(msg))).length;
  await put(unusable, "3");
  await expect.poll(countFailures).toBe(1);
  expect(await readSerial(server.port)).toBe("02");
  // The server checks the files every second. Repeats the replacement, because a busy server may check too late to see the current files.
  for (let version = 4; countFailures() === 1; version += 2) {
    await put(first, String(version));
    await pause(1500);
    await put(unusable, String(version + 1));
    await pause(1500);
  }
  expect(await readSerial(server.port)).toBe("01");
});

test("every worker accepts connections and loads a new certificate", async () => {
  const { environment } = await createDataLocation("postgres");
  await using server = await start({ ...environment, WORKERS: "2", LOG_LEVEL: "debug" });
  // The server distributes connections to the workers in turn.
  const readSerials = async () => [await readSerial(server.port), await readSerial(server.port)];
  expect(await readSerials()).toEqual(["01", "01"]);
  for (let turn = 0; turn < 2; turn++) {
    expect(await get(server.port, new Agent({ ca: first.cert }), "/call_tracking/accounts")).toBe("[]");
  }
  await put(await createCertificate("02"), "2");
  await expect.poll(readSerials).toEqual(["02", "02"]);
  const requests = parseLog((await server.stop()).stderr).filter(({ msg, method }) => msg === "request" && method);
  expect(requests.map(({ worker }) => worker).sort()).toEqual([1, 2]);
});

describe("invalid TLS settings are rejected", () => {
  const other = fileURLToPath(import.meta.url);

  test.each<[what: string, environment: Environment, line: string]>([
    [
      "a certificate alone",
      { TLS_CERT: "x" },
      "TLS_KEY must be set to the file of the private key for the certificate in TLS_CERT",
    ],
    [
      "a key alone",
      { TLS_KEY: "x" },
      "TLS_CERT must be set to the file of the certificate for the private key in TLS_KEY",
    ],
    ["a missing file", { TLS_CERT: "nowhere", TLS_KEY: "nowhere" }, "TLS_CERT must be a readable file: ENOENT"],
    [
      "a file that is not a certificate",
      { TLS_CERT: other, TLS_KEY: other },
      "TLS_CERT must be a certificate in PEM, which begins with -----BEGIN CERTIFICATE-----",
    ],
  ])("%s", (_, environment, line) => {
    expect(() => readConfig(environment)).toThrow(line);
  });

  test.each<[what: string, files: (own: Certificate, other: Certificate) => Certificate, line: string]>([
    [
      "an encrypted key",
      ({ cert, key }) => ({ cert, key: encrypt(key) }),
      "TLS_KEY must be a key without a passphrase: decrypt it with openssl pkey",
    ],
    [
      "the key of another certificate",
      ({ cert }, { key }) => ({ cert, key }),
      "TLS_CERT and TLS_KEY must match: the private key must belong to the first certificate in the certificate file",
    ],
    [
      "the certificate of the authority before that of the server",
      ({ cert, key }, authority) => ({ cert: `${authority.cert}\n${cert}`, key }),
      "TLS_CERT and TLS_KEY must match",
    ],
    ["swapped files", ({ cert, key }) => ({ cert: key, key: cert }), "TLS_CERT must be a certificate in PEM"],
    ["a certificate as the key", ({ cert }) => ({ cert, key: cert }), "TLS_KEY must be a private key in PEM"],
    ["an empty key file", ({ cert }) => ({ cert, key: "" }), "TLS_KEY must be a private key in PEM"],
  ])("%s", async (_, filesOf, line) => {
    await put(filesOf(first, await createCertificate("02")), "1");
    const environment = { TLS_CERT: join(folder, "data", "tls.crt"), TLS_KEY: join(folder, "data", "tls.key") };
    expect(() => readConfig(environment)).toThrow(line);
  });

  function encrypt(key: string): string {
    const options = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" } as const;
    return createPrivateKey(key).export(options).toString();
  }
});
