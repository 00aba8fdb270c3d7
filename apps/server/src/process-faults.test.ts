import { describe, expect, test } from "vitest";
import { createDataLocation } from "./testing/data-location.js";
import { WireClient } from "./testing/fuzz/wire-client.js";
import { createGrpcFrame } from "./testing/grpc-frame.js";
import { openLockHolder } from "./testing/lock-holder.js";
import { getServerCommand, parseLog, type ServerProcess, startServerProcess } from "./testing/server-process.js";

/** Code that makes a server process misbehave on a signal, as a faulty library could. */
const FAULTS = `
process.on("SIGUSR2", () => {
  Promise.reject(new Error("nobody waits for this"));
  Promise.reject("no error at all");
  process.emitWarning("careful", "DeprecationWarning");
  console.error("a library says", { why: [1, 2] });
  setTimeout(() => {}, 2 ** 40);
});
process.on("SIGWINCH", () => setImmediate(() => { throw new Error("out of the blue"); }));
`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(FAULTS)}`;

function messagesOf(stderr: string): unknown[] {
  return parseLog(stderr).map(({ level, msg, err }) => [level, msg, (err as Error | undefined)?.message]);
}

describe.each(["1", "2"])("with WORKERS=%s", (WORKERS) => {
  test("continues after SIGHUP, SIGUSR1, warnings and unhandled rejections, and logs all of them as JSON", async () => {
    const { NODE_FLAGS } = await import(new URL("../node-flags.js", import.meta.url).href);
    await using location = await createDataLocation("postgres");
    const environment = { ...location.environment, WORKERS, NODE_OPTIONS };
    const [node = "", ...rest] = getServerCommand(environment);
    await using server = await startServerProcess(environment, [node, ...NODE_FLAGS, ...rest]);
    const workers = workersOf(server);
    for (const pid of [server.pid, ...(workers ?? [])]) {
      for (const signal of ["SIGHUP", "SIGUSR1"]) process.kill(pid, signal);
    }
    for (const pid of workers ?? [server.pid]) process.kill(pid, "SIGUSR2");
    for (const text of ["nobody waits", "no error at all", "careful", "a library says", "TimeoutOverflowWarning"]) {
      await server.waitForLog(text);
    }
    for (let time = 0; time < 10; time++) expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const { exitCode, stderr } = await server.stop();
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Debugger");
    expect(workersOf(server)).toEqual(workers);
    expect(messagesOf(stderr)).toEqual(
      expect.arrayContaining([
        ["error", "unhandled rejection", "nobody waits for this"],
        ["error", "unhandled rejection", "no error at all"],
        ["warn", "process warning", "careful"],
        ["warn", "a library says { why: [ 1, 2 ] }", undefined],
      ]),
    );
  });
});

test("logs an uncaught exception and exits with 1", async () => {
  await using location = await createDataLocation("postgres");
  await using server = await startServerProcess({ ...location.environment, NODE_OPTIONS });
  const { exitCode, stderr } = await server.stop("SIGWINCH");
  expect(exitCode).toBe(1);
  expect(messagesOf(stderr).at(-1)).toEqual(["fatal", "uncaught exception: the server exits", "out of the blue"]);
});

test("stops within the time limit although statements hang", async () => {
  await using location = await createDataLocation("postgres");
  await using other = await openLockHolder(location.environment.DATABASE_URL ?? "");
  await using server = await startServerProcess({ ...location.environment, REQUEST_TIMEOUT: "1s" });
  const client = new WireClient(server.port, 60_000);
  await other.hold("lock table accounts, pools in access exclusive mode");
  const requests = ["AccountService/ListAccounts", "PoolService/ExportPools", "AccountService/CreateAccount"].flatMap(
    (method) =>
      (["application/grpc", "application/grpc-web", "application/grpc+json"] as const).map((type) =>
        client.send({
          version: "HTTP/2",
          verb: "POST",
          target: `/calltracking.v1.${method}`,
          headers: { "content-type": type },
          body: createGrpcFrame(
            type.endsWith("json") ? Buffer.from('{"accountToken":"a","accountId":"a"}') : Buffer.from("\n\x01a"),
          ),
        }),
      ),
  );
  await other.expectWait(Promise.all(requests));
  const { exitCode, stderr } = await server.stop();
  expect(exitCode).toBe(0);
  expect(messagesOf(stderr)).toContainEqual(["warn", "the database did not stop in time", undefined]);
  expect((await Promise.all(requests)).map(({ end }) => end)).not.toContain("hang");
  client.close();
});

/** Returns the process ids of the workers, from the log; undefined if the log names no worker. */
function workersOf({ log }: ServerProcess): number[] | undefined {
  const pids = log.flatMap(({ msg, pid }) => (msg === "a worker is serving" ? [Number(pid)] : []));
  return pids.length === 0 ? undefined : pids;
}
