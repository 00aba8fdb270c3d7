import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { MIGRATION_NAMES } from "./database/migrate.js";
import { beginRequest } from "./testing/begin-request.js";
import { createBearerHeaders } from "./testing/credentials.js";
import { createDataLocation, createEmptyDataLocation, createNewDataLocation } from "./testing/data-location.js";
import { expectFailure } from "./testing/expect-failure.js";
import { callUnary, createGrpcClient, createGrpcConnection, getApiMethodDefinition } from "./testing/grpc-client.js";
import { createGrpcFrame } from "./testing/grpc-frame.js";
import { createJsonClient } from "./testing/json-client.js";
import { connectToPostgres } from "./testing/pg-client.js";
import { requireRefusal } from "./testing/refusal.js";
import { newAccount } from "./testing/request-fields.js";
import {
  type Environment,
  getServerCommand,
  isConnectionRefused,
  parseLog,
  runServer,
  type ServerProcess,
  startCommand,
  startListeningProcess,
  startServerProcess,
} from "./testing/server-process.js";
import { SERVER_ENGINES } from "./testing/test-database.js";

/** With this setting, only the stop of the server closes idle connections. */
const NO_TIMEOUTS: Environment = { REQUEST_TIMEOUT: "1h" };

/** Enough requests for their log lines to exceed the queue of a blocked log. */
const REQUESTS = 5000;

/** Variables of libpq. A server that applied them could not connect to its database. */
const LIBPQ: Environment = { PGOPTIONS: "-c search_path=nowhere -c statement_timeout=1", PGSSLMODE: "verify-full" };

/** A database for tests that do not depend on the engine. Servers start much faster on PostgreSQL than on the embedded engine. */
let database: Environment;

beforeAll(async () => {
  ({ environment: database } = await createDataLocation("postgres"));
});

describe("the configuration", () => {
  test("reports all invalid settings, each on its own line", async () => {
    const { exitCode, stderr } = await runServer([], {
      PORT: "http",
      MAX_REQUESTS: "0",
      BASE_PATH: "api",
      TLS_KEY: "key.pem",
      AUTH: "yes",
      LOG_LEVEL: "loud",
    });
    const [first, ...others] = stderr.trimEnd().split("\n");
    expect(first).toBe("calltrack-server: 6 settings are invalid:");
    expect(others.map((line) => line.replace(/ must .*/, ""))).toEqual(
      ["PORT", "BASE_PATH", "AUTH", "MAX_REQUESTS", "LOG_LEVEL", "TLS_CERT"].map((name) => `  ${name}`),
    );
    expect(exitCode).toBe(2);
  });

  test("rejects a HOST other than loopback unless AUTH is set", async () => {
    const end = await runServer([], { HOST: "0.0.0.0" });
    expectFailure(end, 2, /AUTH must be set [^\n]*calltrack-server create-admin-key/);
    await using open = await startServerProcess({ ...database, HOST: "0.0.0.0", AUTH: "none" });
    await open.waitForLog("AUTH=none: everyone who can reach the server has full access");
  });

  test("applies HOST, BASE_PATH, UNREGISTERED_NUMBERS and LOG_LEVEL=silent; the only output is the URL", async () => {
    await using server = await startServerProcess({
      ...database,
      HOST: "localhost",
      BASE_PATH: "/api",
      UNREGISTERED_NUMBERS: "register",
      LOG_LEVEL: "silent",
    });
    const api = createJsonClient(`${server.url}/api`);
    const account = await newAccount(api);
    const pool = { area_code: "1", is_dni: true, is_prompted: true, is_recorded: true, pool_type: "manual", size: 1 };
    const fields = { ...pool, account_id: account.account_token, original_number: "+12223334444" };
    expect(await api.createPool(fields)).toMatchObject({ account_token: account.account_token });
    const stdout = `listening on http://localhost:${server.port}\n`;
    expect(await server.stop()).toEqual({ exitCode: 0, stdout, stderr: "" });
  });
});

describe("the start", () => {
  const folder = createFolder();

  test("by bin/calltrack-server.cjs uses the same Node.js flags as everywhere else", async () => {
    const { NODE_FLAGS } = await import(new URL("../node-flags.js", import.meta.url).href);
    const command = await readFile(new URL("../bin/calltrack-server.cjs", import.meta.url), "utf8");
    expect(command.split("\n", 1)).toEqual([`#!/usr/bin/env -S node ${NODE_FLAGS.join(" ")}`]);
  });

  test("connects without libpq's variables, and names them once, with 2 workers", async () => {
    await using server = await startServerProcess({ ...database, ...LIBPQ, WORKERS: "2" });
    await createJsonClient(server.url).listAccounts();
    for (const name of Object.keys(LIBPQ)) await server.waitForLog(`${name} is ignored`);
    expect((await server.stop()).stderr.match(/is ignored/g)).toHaveLength(2);
  });

  test("rejects an unknown command with the usage and exit code 2", async () => {
    const { exitCode, stdout, stderr } = await runServer(["sevre"], { PORT: "invalid" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^calltrack-server: unknown command sevre\n\nUsage: /);
  });

  test("with --version prints the release, whatever the settings are", async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect(await runServer(["--version"], { PORT: "invalid" })).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
  });

  test("of migrate fails with a one-line message and exit code 1 if the host is unknown", async () => {
    const end = await runServer(["migrate"], { DATABASE_URL: "postgres://calltrack:secret@nowhere.invalid/calltrack" });
    expectFailure(end, 1, /[^\n]*(?:ENOTFOUND|EAI_AGAIN)/);
    expect(end.stderr).not.toContain("secret");
  });

  test.each([
    ["PORT", "embedded"],
    ["OPS_PORT", "embedded"],
    ["PORT", "two workers"],
  ])("fails with a one-line message before it touches the database if %s is in use (%s)", async (name, kind) => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await using empty = createNewDataLocation();
    const environment = kind === "embedded" ? empty.environment : { ...database, WORKERS: "2" };
    expect(await runServer([], { ...environment, [name]: String(port) })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `calltrack-server: port ${port} on 127.0.0.1 is in use: stop the server that uses it, or set ${name} to another port\n`,
    });
    expect(existsSync(empty.environment.DATA_DIR ?? "")).toBe(false);
  });

  test("fails with a one-line message if HOST is an address of another machine", async () => {
    const { exitCode, stderr } = await runServer([], { ...database, HOST: "203.0.113.1", AUTH: "keys" });
    expect(stderr).toBe(
      "calltrack-server: 203.0.113.1 is not an address of this machine: set HOST to an address of this machine, such as 127.0.0.1\n",
    );
    expect(exitCode).toBe(1);
  });

  test("fails with a one-line message if DATA_DIR is a file", async () => {
    const DATA_DIR = join(folder, "file");
    await writeFile(DATA_DIR, "");
    expectFailure(await runServer([], { DATA_DIR }), 1, /[^\n]+file/);
  });

  test("fails with the remedy if another PostgreSQL version wrote DATA_DIR, and leaves the folder unchanged", async () => {
    const DATA_DIR = join(folder, "version");
    await mkdir(DATA_DIR);
    await writeFile(join(DATA_DIR, "PG_VERSION"), "17\n");
    for (const command of [["serve"], ["dump", `${DATA_DIR}.dump`]]) {
      const { exitCode, stderr } = await runServer(command, { DATA_DIR });
      expect(stderr, command[0]).toBe(
        `calltrack-server: DATA_DIR ${DATA_DIR} was written by PostgreSQL 17, and this release reads PostgreSQL 18: run ` +
          "calltrack-server dump with the release that wrote the database, and calltrack-server restore with this release (docs/backup.md)\n",
      );
      expect(exitCode, command[0]).toBe(1);
    }
    expect(existsSync(`${DATA_DIR}.dump`)).toBe(false);
    expect((await readdir(DATA_DIR)).filter((name) => !name.startsWith("server."))).toEqual(["PG_VERSION"]);
  });
});

// Tests only PostgreSQL. The setup of the test suite migrates an embedded database, and servers in other tests start on that database.
describe("migrate", () => {
  test("migrates the schema and exits; a second run finds nothing to migrate", async () => {
    await using location = await createEmptyDataLocation("postgres");
    const environment = { ...location.environment, LOG_LEVEL: "info" };
    expect(await runServer(["migrate"], environment)).toEqual({
      exitCode: 0,
      stdout: `applied ${MIGRATION_NAMES.join(", ")}\n`,
      stderr: "",
    });
    expect(await runServer(["migrate"], environment)).toEqual({
      exitCode: 0,
      stdout: "the schema is up to date\n",
      stderr: "",
    });
  });
});

// Does not test the embedded engine, because the tests of the documentation's commands create a key in an embedded database.
describe.each(SERVER_ENGINES)("create-admin-key, on %s", (engine) => {
  test("prints only a key with the scope admin", async () => {
    await using location = await createDataLocation(engine);
    const environment = { ...location.environment, HOST: "0.0.0.0", AUTH: "keys" };
    const { exitCode, stdout, stderr } = await runServer(["create-admin-key"], environment);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^ct_\w+\n$/);
    await using server = await startServerProcess(environment);
    const url = `http://127.0.0.1:${server.port}`;
    expect((await fetch(`${url}/call_tracking/accounts`)).status).toBe(401);
    const api = createJsonClient(url, createBearerHeaders(stdout.trim()));
    expect((await api.listApiKeys()).entries).toMatchObject([
      { scopes: ["admin"], account_token: null, description: "created by calltrack-server create-admin-key" },
    ]);
  });
});

describe("distribute", () => {
  test.each([
    ["an embedded database", {}, 2, "DATABASE_URL must name the coordinator of a Citus cluster"],
    [
      "a server without Citus",
      undefined,
      1,
      "the database lacks the extension Citus: create the extension in this database on every server",
    ],
  ])("fails with a one-line message on %s", async (_, environment, exitCode, line) => {
    expectFailure(await runServer(["distribute"], environment ?? database), exitCode, line);
  });
});

describe("the log", () => {
  test("is JSON lines on stderr, with every request at level debug, and each libpq variable that is ignored", async () => {
    await using server = await startServerProcess({ ...database, ...LIBPQ, LOG_LEVEL: "debug" });
    await newAccount(createJsonClient(server.url));
    const lines = parseLog((await server.stop()).stderr);
    for (const line of lines) {
      expect(line).toMatchObject({
        level: expect.stringMatching(/^(?:debug|info|warn)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        msg: expect.any(String),
      });
    }
    expect(lines.filter(({ msg }) => String(msg).includes("is ignored"))).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({ method: "calltracking.v1.AccountService/CreateAccount", code: "OK", msg: "request" }),
    );
  });

  test.each([
    ["a full disk", "/dev/full"],
    ["a pipe whose reader is blocked", "fifo"],
    ["a closed pipe", "closed fifo"],
  ])("never delays requests or the exit if stderr is %s", async (_, kind) => {
    const log = createLogDestination(kind);
    const environment = { ...database, LOG_LEVEL: "debug" };
    await using server = await startListeningProcess(environment, log.commandOf(environment));
    if (kind === "closed fifo") log.close();
    // The log lines exceed the 64 KiB that the kernel keeps for a pipe.
    await sendRequests(server.port, 500);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await server.stop()).toMatchObject({ exitCode: 0 });
  });

  test("states how many lines were dropped once its reader continues", async () => {
    const log = createLogDestination("fifo");
    const environment = { ...database, LOG_LEVEL: "debug" };
    await using server = await startListeningProcess(environment, log.commandOf(environment));
    await sendRequests(server.port, REQUESTS);
    const text = log.read();
    await expect.poll(text).toContain('"dropped"');
    await fetch(`${server.url}/call_tracking/accounts`);
    expect(await server.stop()).toMatchObject({ exitCode: 0 });
    const lines = parseLog(await log.end());
    const { dropped } = lines.find((line) => "dropped" in line) ?? {};
    expect(dropped).toBeGreaterThan(0);
    expect(lines.filter(({ msg }) => msg === "request").length + Number(dropped)).toBe(REQUESTS + 1);
    expect(lines.at(-1)).toMatchObject({ msg: "stopping" });
  });
});

test("SIGTERM ends the first start of an embedded database with 0; the next start completes it", async () => {
  await using location = createNewDataLocation();
  const start = startCommand([], { ...location.environment, PORT: "0" });
  await expect.poll(() => existsSync(join(location.environment.DATA_DIR ?? "", "postgres"))).toBe(true);
  start.kill("SIGTERM");
  expect(await once(start, "exit")).toEqual([0, null]);
  await using server = await startServerProcess(location.environment);
  await newAccount(createJsonClient(server.url));
});

describe("during the start", () => {
  // Tests SIGINT with only one command, because only the exit code depends on the signal. See `stop-signal.test.ts`.
  test.each([
    ["SIGTERM", "serve", 0],
    ["SIGINT", "migrate", 130],
    ["SIGTERM", "dump", 143],
    ["SIGTERM", "restore", 143],
  ] as const)("%s cancels and rolls back a statement of %s", async (signal, command, exitCode) => {
    await using location = await createDataLocation("postgres");
    await using folder = createNewDataLocation();
    const file = `${folder.environment.DATA_DIR}.dump`;
    if (command === "restore") await runServer(["dump", file], location.environment);
    const locker = await connectToPostgres(location.environment.DATABASE_URL);
    await locker.query("begin; lock table kysely_migration in access exclusive mode");
    const other = "from pg_locks join pg_stat_activity using (pid) where datname = current_database()";
    const count = async (condition: string) => {
      // Within a transaction, pg_stat_activity would stay as it was first read.
      await locker.query("select pg_stat_clear_snapshot()");
      return (await locker.query(`select count(*)::int as n ${other} and ${condition}`)).rows[0].n;
    };
    const args = ["dump", "restore"].includes(command) ? [command, file] : [command];
    const started = startCommand(args, { ...location.environment, PORT: "0" });
    await expect.poll(() => count("not granted")).toBeGreaterThan(0);
    started.kill(signal);
    expect(await once(started, "exit")).toEqual([exitCode, null]);
    await expect.poll(() => count("pid <> pg_backend_pid()")).toBe(0);
    const files = (await readdir(dirname(file))).filter((name) => name.startsWith(basename(file)));
    expect(files).toEqual(command === "restore" ? [basename(file)] : []);
    await locker.end();
  });
});

describe("a stop", () => {
  test("finishes in-flight requests, accepts no new ones and exits with 0, on the embedded engine", async () => {
    await using location = await createDataLocation("embedded");
    await using server = await startServerProcess(location.environment);
    await finishRequestDuringStop(server);
  });

  test("waits for an in-flight request, but not for idle connections, health watches or a client whose message was too large", async () => {
    await using server = await startServerProcess({ ...database, ...NO_TIMEOUTS });
    const silent = connect(server.port, "127.0.0.1");
    await once(silent, "connect");
    const started = connect(server.port, "127.0.0.1");
    started.write("PR");
    await fetch(`${server.url}/healthz`);
    const session = connectHttp2(server.url);
    await once(session, "connect");
    const grpc = createGrpcClient(server.port);
    await grpc.listAccounts();
    const watch = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Watch",
      "content-type": "application/grpc",
      te: "trailers",
    });
    watch.end(createGrpcFrame(Buffer.alloc(0)));
    await once(watch, "data");
    for (const connection of [silent, started, session]) connection.on("error", () => {});
    const client = createGrpcConnection(server.port);
    const method = getApiMethodDefinition("AccountService", "CreateAccount");
    const call = callUnary(client, method, { account_token: "x".repeat(5 * 1024 * 1024) });
    expect(await requireRefusal(call)).toMatchObject({ reason: "BODY_TOO_LARGE" });
    await finishRequestDuringStop(server);
    for (const connection of [silent, started, session]) connection.destroy();
    grpc.close();
    client.close();
  });

  test("by a second SIGINT is immediate", async () => {
    await using server: ServerProcess = await startServerProcess(database);
    const request = await beginRequest(server.port);
    server.kill("SIGINT");
    await server.waitForLog("stopping");
    server.kill("SIGINT");
    expect(await server.ended).toMatchObject({ exitCode: 130 });
    request.abandon();
  });
});

/** Begins a request, sends SIGTERM, and finishes the request while the server stops. */
async function finishRequestDuringStop(server: ServerProcess): Promise<void> {
  const request = await beginRequest(server.port);
  server.kill("SIGTERM");
  await server.waitForLog("stopping");
  await expect.poll(() => isConnectionRefused(server.port)).toBe(true);
  expect(await request.finish()).toContain("HTTP/1.1 201 Created");
  expect(await server.ended).toMatchObject({ exitCode: 0 });
}

/** A destination for the stderr of a server. */
interface LogDestination {
  /** Returns the command line of a server whose stderr goes to the destination. */
  commandOf(environment: Environment): readonly string[];
  /** Collects the text of a pipe. Returns a function that returns the text received so far. */
  read(): () => string;
  /** Resolves to the text when the server has closed the pipe. */
  end(): Promise<string>;
  close(): void;
}

/**
 * @param kind the path of a file or device, or a text that ends with `fifo` for a new pipe. Nothing reads the pipe before `read`.
 */
function createLogDestination(kind: string): LogDestination {
  const path = kind.endsWith("fifo") ? join(createFolder(onTestFinished), "fifo") : kind;
  if (path !== kind) execFileSync("mkfifo", [path]);
  const fd = path === kind ? undefined : openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let text = "";
  let ended: Promise<unknown> = Promise.resolve();
  return {
    commandOf: (environment) => ["sh", "-c", 'exec "$@" 2>"$0"', path, ...getServerCommand(environment)],
    read() {
      const reader = new Socket({ fd: fd ?? expect.unreachable() });
      reader.setEncoding("utf8").on("data", (more) => {
        text += more;
      });
      ended = once(reader, "end");
      return () => text;
    },
    end: () => ended.then(() => text),
    close: () => closeSync(fd ?? expect.unreachable()),
  };
}

/** Sends requests in one pipeline and waits for their responses. */
async function sendRequests(port: number, count: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.setEncoding("latin1");
  const request = `GET /call_tracking/nothing HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${"x".repeat(128)}\r\n`;
  socket.end(`${`${request}\r\n`.repeat(count - 1)}${request}Connection: close\r\n\r\n`);
  let responses = 0;
  for await (const text of socket) responses += (text as string).split("HTTP/1.1 ").length - 1;
  expect(responses).toBe(count);
}
