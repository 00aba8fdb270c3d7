import { setTimeout as sleep } from "node:timers/promises";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { RetryInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliResult, runCli, startCli } from "../../testing/cli.js";
import { createFailingMethod, startFaultyServer, unavailableError } from "../../testing/faulty-server.js";
import { runCommand } from "../../testing/run-command.js";

function busy(code: Code, retryAfterMs: number): ConnectError {
  const info = { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } };
  return new ConnectError("too much to do", code, undefined, [info]);
}

/** Runs `accounts list` with a server that throws the given errors, and counts the requests. */
async function list(
  args: readonly string[],
  ...errors: readonly ConnectError[]
): Promise<CliResult & { calls: number }> {
  const { requests, call } = createFailingMethod(...errors);
  const { url } = await startFaultyServer({ accounts: { listAccounts: call } });
  const result = await runCommand(["accounts", "list", "--output", "json", ...args], { server: url });
  return { ...result, calls: requests.length };
}

test("retries a read until it succeeds", async () => {
  const { calls, ...result } = await list([], unavailableError, unavailableError);
  expect(result).toStrictEqual({ exitCode: 0, stdout: "[]\n", stderr: "" });
  expect(calls).toBe(3);
});

test("--verbose logs each attempt and the delay before the next one", async () => {
  const { stderr } = await list(["-v", "--retries", "2"], unavailableError);
  const method = "calltracking.v1.AccountService/ListAccounts";
  expect(stderr.replaceAll(/[\d.]+ ms/g, "N ms")).toBe(
    `${method} UNAVAILABLE N ms\n${method} UNAVAILABLE: attempt 2 of 3 in N ms\n${method} OK N ms\n`,
  );
});

test.each([0, 2])("limits retries to --retries %i", async (retries) => {
  const errors = Array.from({ length: 10 }, () => unavailableError);
  const { calls, exitCode, stderr } = await list(["--retries", String(retries)], ...errors);
  expect({ calls, exitCode }).toStrictEqual({ calls: retries + 1, exitCode: 3 });
  expect(stderr).toMatch(/^error: no response from \S+: the database is unavailable\n/);
});

describe("an overloaded service", () => {
  test.each([Code.ResourceExhausted, Code.Unavailable])(
    "is retried after the delay that it requests, code %i",
    async (code) => {
      expect(await list([], busy(code, 1))).toMatchObject({ calls: 2, exitCode: 0 });
      const { calls, stderr } = await list([], busy(code, 3_600_000));
      expect(calls).toBe(1);
      expect((await list(["-v"], busy(code, 3_600_000))).stderr).not.toContain("try 2");
      expect(stderr).toMatch(/^error: .*too much to do\n {2}Wait 3600 s before you retry\.\n$/);
    },
  );

  test("can request a delay with Retry-After", async () => {
    const error = (seconds: string) => new ConnectError("too much", Code.ResourceExhausted, { "retry-after": seconds });
    expect(await list([], error("0"))).toMatchObject({ calls: 2, exitCode: 0 });
    expect(await list([], error("3600"))).toMatchObject({ calls: 1, exitCode: 1 });
  });

  test("gets no further rows of an import", async () => {
    const createPhoneNumber = () => {
      throw busy(Code.ResourceExhausted, 3_600_000);
    };
    const { url } = await startFaultyServer({ numbers: { createPhoneNumber, listPhoneNumbers: () => ({}) } });
    const input = "phone_number\n+12223334444\n+12223335555\n";
    const args = ["numbers", "import", "acme", "-", "--concurrency", "1", "--output", "json"];
    const { stdout, stderr } = await runCommand(args, { server: url, input });
    expect(JSON.parse(stdout)).toMatchObject({ rows: 1, created: 0, refused: 1 });
    expect(stderr).toContain("Wait 3600 s before you retry.");
  });
});

test.each([
  ["RESOURCE_EXHAUSTED without a delay", new ConnectError("the quota is used up", Code.ResourceExhausted)],
  ["NOT_FOUND", new ConnectError("no", Code.NotFound)],
  ["INTERNAL", new ConnectError("no", Code.Internal)],
])("does not retry %s", async (_, error) => {
  expect((await list([], error)).calls).toBe(1);
});

test("retries an update on a new connection after the first was lost", async () => {
  const { requests, call } = createFailingMethod();
  const updateAccount = (request: object) => {
    call(request);
    if (requests.length === 1) server.cut();
    return {};
  };
  const server = await startFaultyServer({ accounts: { updateAccount } });
  const { exitCode } = await runCommand(["accounts", "enable", "1"], { server: server.url });
  expect({ exitCode, calls: requests.length }).toStrictEqual({ exitCode: 0, calls: 2 });
});

test("does not retry an update with an etag, because the first attempt may have succeeded", async () => {
  const { requests, call } = createFailingMethod<object>();
  const updateAccount = (request: object) => {
    call(request);
    server.cut();
    return {};
  };
  const server = await startFaultyServer({ accounts: { updateAccount } });
  const { exitCode } = await runCommand(["accounts", "enable", "1", "--if-match", "x"], { server: server.url });
  expect({ exitCode, calls: requests.length }).toStrictEqual({ exitCode: 3, calls: 1 });
  expect(requests).toMatchObject([{ etag: '"x"' }]);
});

test("retries a create with the same request id, which differs between commands", async () => {
  const { requests, call } = createFailingMethod<{ readonly requestId?: string | undefined }>(
    unavailableError,
    unavailableError,
  );
  const { url } = await startFaultyServer({ accounts: { createAccount: call } });
  for (const token of ["acme", "globex"]) {
    expect(await runCommand(["accounts", "create", token], { server: url })).toMatchObject({ exitCode: 0 });
  }
  const ids = requests.map(({ requestId }) => requestId);
  expect(ids).toStrictEqual([ids[0], ids[0], ids[0], ids[3]]);
  expect(new Set(ids).size).toBe(2);
});

test("fails immediately if the connection is refused", async () => {
  const { url, close } = await startFaultyServer();
  close();
  const { exitCode, stderr } = await runCommand(["accounts", "list", "-v"], { server: url });
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^\S+ UNAVAILABLE [\d.]+ ms\nerror: no response from \S+: connection refused\n/);
});

test("retries any request to a server that responded before and now refuses connections", async () => {
  const answers = { listPhoneNumbers: () => ({}), listPools: () => ({}) };
  const createPhoneNumber = () => {
    server.close();
    return {};
  };
  const server = await startFaultyServer({ numbers: { ...answers, createPhoneNumber } });
  const input = "phone_number\n+12223334444\n+12223335555\n";
  const args = ["numbers", "import", "acme", "-", "--concurrency", "1", "--retries", "2", "-v"];
  const { exitCode, stderr } = await runCommand(args, { server: server.url, input });
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/CreatePhoneNumber UNAVAILABLE: attempt 3 of 3 in \d+ ms\n/);
  expect(stderr).toContain("connection refused");
});

describe("after a second, stderr says once which server is slow", () => {
  test("during retries", async () => {
    const { url } = await startFaultyServer({
      accounts: { listAccounts: createFailingMethod(busy(Code.Unavailable, 1500)).call },
    });
    const { exitCode, stderr } = await runCli(["accounts", "list"], { server: url, keepsNotices: true });
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 0,
      stderr: `Waiting for ${url}: too much to do, retrying\n`,
    });
  });

  test("while no response arrives", async () => {
    const { url } = await startFaultyServer({ accounts: { listAccounts: () => sleep(1500, {}) } });
    const { exitCode, stderr } = await runCli(["accounts", "list"], { server: url, keepsNotices: true });
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: `Waiting for ${url}: no response yet\n` });
  });
});

test("Ctrl-C ends the delay before a retry", async () => {
  const listAccounts = () => {
    throw busy(Code.Unavailable, 3_600_000);
  };
  const { url } = await startFaultyServer({ accounts: { listAccounts } });
  const cli = startCli(["accounts", "list", "-v", "--timeout", "2h"], { server: url });
  onTestFinished(() => void cli.process.kill("SIGKILL"));
  cli.process.stderr?.on("data", (text) => {
    if (String(text).includes("attempt 2 of 6")) cli.process.kill("SIGINT");
  });
  expect(await cli.result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining("error: interrupted\n") });
});
