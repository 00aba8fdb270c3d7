import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { beginRequest } from "../testing/begin-request.js";
import { createDataLocation, createEmptyDataLocation } from "../testing/data-location.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { sendHttp } from "../testing/http-request.js";
import { createJsonClient } from "../testing/json-client.js";
import { queryOnce } from "../testing/pg-client.js";
import { newAccount, uniqueToken } from "../testing/request-fields.js";
import {
  type Environment,
  isConnectionRefused,
  type LogLine,
  type ServerProcess,
  startServerProcess,
} from "../testing/server-process.js";

const WORKERS = 2;

const location = await createDataLocation("postgres");
/** The environment of servers with several workers, on a database that all tests share. */
const environment: Environment = { ...location.environment, WORKERS: String(WORKERS) };

/** The log lines of workers that began to serve, oldest first. */
function serving(log: readonly LogLine[]): LogLine[] {
  return log.filter(({ msg }) => msg === "a worker is serving");
}

/** The process ids of the current workers. */
function pidsOf(server: ServerProcess): number[] {
  return [...new Map(serving(server.log).map(({ worker, pid }) => [worker, Number(pid)])).values()];
}

/** Runs `end`, which ends workers, and waits until `count` replacements serve. */
async function waitForReplacements(server: ServerProcess, count: number, end: () => unknown): Promise<void> {
  const before = serving(server.log).length;
  await end();
  await expect.poll(() => serving(server.log).length).toBe(before + count);
}

/** Waits until `count` processes, including the primary, have logged that they are stopping. */
async function waitForStopping(server: ServerProcess, count: number): Promise<void> {
  await expect.poll(() => server.log.filter(({ msg }) => msg === "stopping").length).toBe(count);
}

async function startWorkers(variables: Environment = {}): Promise<ServerProcess> {
  const server = await startServerProcess({ ...environment, ...variables });
  await server.waitForLog(`(?:[^]*"a worker is serving"){${WORKERS}}`);
  return server;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs `call` several times, one after another. Each run opens a new connection, so that the workers get the runs in turn. */
async function repeatCall(count: number, call: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < count; turn++) await call();
}

const empty = await createEmptyDataLocation("postgres");
/** A server for the tests that leave it serving. Its first start migrates an empty database. The last test of the file stops it. */
const server = await startWorkers({ ...empty.environment, OPS_PORT: "0", LOG_LEVEL: "debug" });

afterAll(() => server[Symbol.asyncDispose]());

describe("the start", () => {
  test("is logged when all workers serve, and one worker has migrated the database", () => {
    expect(pidsOf(server)).toHaveLength(WORKERS);
    expect(server.log.filter(({ msg }) => msg === "migrated the database")).toHaveLength(1);
  });

  test("distributes connections to all workers in turn, over every protocol, and log lines name their worker", async () => {
    const before = server.log.length;
    await repeatCall(2 * WORKERS, () => sendHttp("HTTP/1.1", server.port, { target: "/call_tracking/accounts" }));
    await repeatCall(2 * WORKERS, async () => {
      const grpc = createGrpcClient(server.port);
      await grpc.listAccounts({ page_size: 1 });
      grpc.close();
    });
    const requests = () => server.log.slice(before).filter(({ msg, method }) => msg === "request" && method);
    await expect.poll(requests).toHaveLength(4 * WORKERS);
    expect(new Set(requests().map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  });
});

describe("GET /metrics", () => {
  test("returns the metrics of each worker, and values from the database once", async () => {
    const response = await fetch(`${await server.opsUrl()}/metrics`);
    expect(response.status).toBe(200);
    const text = await response.text();
    for (const name of ["calltrack_pass_duration_seconds_count", "process_start_time_seconds"]) {
      const lines = text.match(new RegExp(`^${name}\\{.*$`, "gm")) ?? [];
      const workers = lines.map((line) => /worker="\d"/.exec(line)?.[0]);
      expect(workers, name).toEqual([1, 2].map((each) => `worker="${each}"`));
    }
    expect(text.match(/^calltrack_due_pools.*$/gm)).toEqual([expect.stringMatching(/^calltrack_due_pools \d+$/)]);
  });
});

// `main.test.ts` and `stop-signal.test.ts` test the exit codes and effects of SIGTERM and SIGINT.
describe("SIGTERM", () => {
  test("ends all processes at once when sent twice", async () => {
    await using server = await startWorkers();
    const pids = pidsOf(server);
    const request = await beginRequest(server.port);
    server.kill("SIGTERM");
    await server.waitForLog("stopping");
    server.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ exitCode: 143 });
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    request.abandon();
  });

  test("kills a worker that does not stop in time", async () => {
    await using server = await startWorkers({ REQUEST_TIMEOUT: "1s" });
    const pids = pidsOf(server);
    process.kill(pids[0] ?? 0, "SIGSTOP");
    server.kill("SIGTERM");
    const { exitCode, stderr } = await server.ended;
    expect(stderr).toMatch(new RegExp(`"pid":${pids[0]},"msg":"a worker does not stop in time: killing it"`));
    expect(stderr).toMatch(/\ncalltrack-server: a worker exited with SIGKILL\n$/);
    expect(exitCode).toBe(1);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("to a single worker waits for its requests, and a replacement starts", async () => {
    const requests = await Promise.all(Array.from({ length: WORKERS }, () => beginRequest(server.port)));
    await waitForReplacements(server, 1, async () => {
      process.kill(pidsOf(server)[0] ?? 0, "SIGTERM");
      await waitForStopping(server, 1);
      for (const request of requests) expect(await request.finish()).toContain("HTTP/1.1 201 Created");
    });
  });
});

describe("SIGINT", () => {
  test("counts once if all processes get it at the same time, as from a terminal", async () => {
    await using server = await startWorkers();
    const request = await beginRequest(server.port);
    for (const pid of [...pidsOf(server), server.pid]) process.kill(pid, "SIGINT");
    await waitForStopping(server, WORKERS + 1);
    expect(await request.finish()).toContain("HTTP/1.1 201 Created");
    expect(await server.ended).toMatchObject({ exitCode: 0 });
  });
});

describe("kill -9", () => {
  test("of workers during writes loses no acknowledged write; each worker is replaced, which is logged", async () => {
    const acknowledged: string[] = [];
    const end = new AbortController();
    const write = async () => {
      while (!end.signal.aborted) {
        const account_token = uniqueToken();
        const answer = await fetch(`${server.url}/call_tracking/accounts`, {
          method: "POST",
          body: JSON.stringify({ account_token }),
          headers: { "content-type": "application/json" },
          // If a worker is killed while it gets a connection from the primary, that connection gets no response.
          signal: AbortSignal.timeout(2000),
        }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(account_token);
        await answer?.body?.cancel();
      }
    };
    const writing = Promise.all([1, 2, 3, 4].map(write));
    for (let round = 1; round <= 2; round++) {
      const goal = acknowledged.length + 30;
      await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThanOrEqual(goal);
      const pid = pidsOf(server)[round % WORKERS] ?? 0;
      const { worker } = serving(server.log).find((line) => line.pid === pid) ?? {};
      await waitForReplacements(server, 1, () => process.kill(pid, "SIGKILL"));
      expect(server.log).toContainEqual(
        expect.objectContaining({ level: "error", msg: "a worker exited", worker, pid, reason: "SIGKILL" }),
      );
      expect(pidsOf(server)).not.toContain(pid);
      expect(pidsOf(server).filter(isAlive)).toHaveLength(WORKERS);
    }
    end.abort();
    await writing;
    const { entries } = await createJsonClient(server.url).listAccounts();
    const kept = new Set(entries.map(({ account_token }) => account_token));
    expect(acknowledged.filter((token) => !kept.has(token))).toEqual([]);
  });

  test("of all workers at once is followed by replacements on the same port", async () => {
    await waitForReplacements(server, WORKERS, () => {
      for (const pid of pidsOf(server)) process.kill(pid, "SIGKILL");
    });
    await repeatCall(2 * WORKERS, () => newAccount(createJsonClient(server.url)));
  });

  // Only Linux lists the children of a process in /proc.
  test.runIf(process.platform === "linux")(
    "of the last serving worker is followed by replacements on the same port, even if one of them was starting",
    async () => {
      // Not the shared server: after its last serving worker ended once, it tells replacements their port.
      await using server = await startWorkers();
      const [first = 0, second = 0] = pidsOf(server);
      const children = () => readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, "utf8").trim().split(" ");
      await waitForReplacements(server, WORKERS, async () => {
        process.kill(first, "SIGKILL");
        await expect
          .poll(() => children().filter((pid) => ![first, second].includes(Number(pid))), { interval: 1 })
          .toHaveLength(1);
        process.kill(second, "SIGKILL");
      });
      await repeatCall(2 * WORKERS, () => newAccount(createJsonClient(server.url)));
      expect(await server.stop()).toMatchObject({ exitCode: 0 });
    },
  );

  test("of the primary also ends the workers", async () => {
    await using server = await startWorkers();
    const pids = pidsOf(server);
    const request = await beginRequest(server.port);
    expect(pids.filter(isAlive)).toHaveLength(WORKERS);
    await server.stop("SIGKILL");
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    expect(await isConnectionRefused(server.port)).toBe(true);
    request.abandon();
  });
});

describe("a worker that cannot be replaced", () => {
  test("is retried while others serve; if none is left, the server exits with the reason", async () => {
    await using location = await createDataLocation("postgres");
    const variables = { ...environment, ...location.environment };
    await using server = await startWorkers(variables);
    // Simulates a database that a newer release has migrated.
    await queryOnce(variables.DATABASE_URL, "insert into kysely_migration values ('9999-from-the-future', '')");
    const [first = 0, ...others] = pidsOf(server);
    process.kill(first, "SIGKILL");
    await server.waitForLog(`^(?:[^]*"a worker exited"){2}[^\n]*\n`);
    expect(server.log).toContainEqual(
      expect.objectContaining({
        msg: "a worker exited",
        reason: expect.stringContaining("future"),
        restartDelayMs: 200,
      }),
    );
    expect((await sendHttp("HTTP/1.1", server.port, { target: "/healthz" })).status).toBe(200);
    for (const pid of others) process.kill(pid, "SIGKILL");
    const { exitCode, stderr } = await server.ended;
    expect(stderr).toMatch(/\ncalltrack-server: [^\n]*future[^\n]*\n$/);
    expect(exitCode).toBe(1);
  });
});

test("SIGTERM waits for in-flight requests in all workers, accepts no new ones and exits with 0", async () => {
  const pids = pidsOf(server);
  const stopped = server.log.filter(({ msg }) => msg === "stopping").length;
  const requests = await Promise.all(Array.from({ length: 2 * WORKERS }, () => beginRequest(server.port)));
  server.kill("SIGTERM");
  await waitForStopping(server, stopped + WORKERS + 1);
  await expect.poll(() => isConnectionRefused(server.port)).toBe(true);
  for (const request of requests) expect(await request.finish()).toContain("HTTP/1.1 201 Created");
  expect(await server.ended).toMatchObject({
    exitCode: 0,
    stdout: `listening on http://127.0.0.1:${server.port}\n`,
  });
  expect(pids.filter(isAlive)).toEqual([]);
});
