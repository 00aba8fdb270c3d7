import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { WatchEventsRequest } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { ErrorInfoSchema, RetryInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { startCli } from "../../testing/cli.js";
import { startFaultyServer, unavailableError } from "../../testing/faulty-server.js";
import { pollUntil } from "../../testing/poll-until.js";
import { runCommand, runJson } from "../../testing/run-command.js";
import { createServerDatabase, startServer } from "../../testing/server.js";

/** Starts a watch, and collects the events that it prints. */
function startWatch(url: string, ...args: string[]) {
  const cli = startCli(["events", "watch", ...args], { server: url, keepsNotices: true });
  onTestFinished(() => void cli.process.kill("SIGKILL"));
  let written = "";
  cli.process.stdout?.on("data", (text) => {
    written += text;
  });
  return {
    ...cli,
    ids: () =>
      written
        .split("\n")
        .slice(0, -1)
        .map((line): string => JSON.parse(line).id),
  };
}

test("a watch over any protocol survives restarts of the server, and misses and repeats no event", async () => {
  const databaseUrl = await createServerDatabase();
  let server = await startServer({ databaseUrl });
  onTestFinished(() => server.stop());
  const { url } = server;
  const settings = { PORT: new URL(url).port };
  const create = (name: string) => runJson(["accounts", "create", name], { server: url });
  await create("before");
  const watches = ["grpc", "connect", "grpc-web"].map((protocol) =>
    startWatch(url, "--since", "1h", "--protocol", protocol),
  );
  const received = async (count: number) =>
    await pollUntil(async () => watches.every(({ ids }) => ids().length >= count));
  await received(1);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const busy = Promise.allSettled(Array.from({ length: 20 }, (_, index) => create(`${signal}-${index}`)));
    await server.stop(signal);
    await busy;
    server = await startServer({ databaseUrl, settings });
    await create(`after-${signal}`);
  }
  const { stdout } = await runCommand(["events", "list"], { server: url });
  const ids = stdout
    .trimEnd()
    .split("\n")
    .map((line): string => JSON.parse(line).id);
  await received(ids.length);
  for (const watch of watches) {
    watch.process.kill("SIGINT");
    expect((await watch.result).exitCode).toBe(0);
    expect(watch.ids()).toStrictEqual(ids);
  }
});

test("a watch ends if another event log replaces its log", async () => {
  const server = await startServer();
  await runJson(["accounts", "create", "acme"], { server: server.url });
  const watch = startWatch(server.url, "--since", "1h");
  await pollUntil(async () => watch.ids().length === 1);
  await server.stop();
  const other = await startServer({ settings: { PORT: new URL(server.url).port } });
  onTestFinished(() => other.stop());
  expect(await watch.result).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      "error: the cursor does not belong to this event log, for example because the database was restored: list the resources again",
    ),
  });
});

const eventAt = (place: number) => ({
  event: { id: String(place), type: "account.created", occurredAt: { seconds: 1_700_000_000n } },
  cursor: `after ${place}`,
});

/** Runs after the server has sent the messages of a stream. Returns to end the stream, throws to break it, or stays pending to keep it open. */
type Ending = (context: HandlerContext) => Promise<void> | void;

/** Sends nothing until the client cancels the stream. */
const silence: Ending = ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

/**
 * Serves a stream of a bookmark and two events. Each of the first streams sends at most `messages` messages and then ends with `ending`. All later
 * streams send all messages and stay open.
 */
async function startBrokenStream(...connections: readonly { readonly messages: number; readonly ending: Ending }[]) {
  const requests: WatchEventsRequest[] = [];
  async function* watchEvents(request: WatchEventsRequest, context: HandlerContext) {
    const { messages, ending } = connections[requests.push(request) - 1] ?? { messages: 3, ending: silence };
    const { cursor = "the start" } = request;
    const events = [eventAt(1), eventAt(2)].slice(Number(cursor.replace(/\D/g, "")));
    yield* [{ cursor }, ...events].slice(0, messages);
    await ending(context);
  }
  return { requests, ...(await startFaultyServer({ events: { watchEvents } })) };
}

const fail = (error: ConnectError) => () => Promise.reject(error);

/** An error from the service itself. Unlike the error of a broken connection, it has details. */
const ownError = (code: Code, reason: string) =>
  new ConnectError("no", code, undefined, [{ desc: ErrorInfoSchema, value: { reason, domain: "calltracking" } }]);

const busy = new ConnectError("too many", Code.ResourceExhausted, undefined, [
  { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(1) } },
]);

const idsOf = (stdout: string) =>
  stdout
    .split("\n")
    .slice(0, -1)
    .map((line): string => JSON.parse(line).id);

describe("a watch continues after the last event if the stream", () => {
  test.each<[string, Ending]>([
    ["ends", () => {}],
    ["becomes unavailable", fail(unavailableError)],
    ["breaks off in a proxy", fail(new ConnectError("bad gateway", Code.Internal))],
    ["is reset", fail(new ConnectError("reset", Code.Aborted))],
    ["reaches a limit, with the time to wait", fail(busy)],
    ["is silent for --timeout", silence],
  ])("%s", async (_, ending) => {
    const connections = [2, 0, 1].map((messages) => ({ messages, ending }));
    const { url, requests } = await startBrokenStream(...connections);
    const args = ["events", "watch", "--since", "1h", "--limit", "2", "--timeout", "500ms"];
    const { exitCode, stdout } = await runCommand(args, { server: url });
    expect({ exitCode, ids: idsOf(stdout) }).toStrictEqual({ exitCode: 0, ids: ["1", "2"] });
    expect(requests.map(({ cursor, from }) => [cursor, from === undefined])).toStrictEqual([
      [undefined, false],
      ...Array.from({ length: 3 }, () => ["after 1", true]),
    ]);
  });
});

describe("a watch ends with the error of the service if", () => {
  test.each([
    ["the credential has expired", ownError(Code.Unauthenticated, "CREDENTIAL_INVALID")],
    ["events after the cursor have expired", ownError(Code.OutOfRange, "EVENT_CURSOR_EXPIRED")],
    ["the cursor is unknown", ownError(Code.FailedPrecondition, "EVENT_CURSOR_UNKNOWN")],
    ["the service is broken", ownError(Code.Internal, "INTERNAL")],
  ])("%s", async (_, error) => {
    const ending = fail(error);
    for (const messages of [0, 2]) {
      const { url, requests } = await startBrokenStream(
        { messages: 2, ending: fail(unavailableError) },
        { messages, ending },
      );
      const { exitCode, stdout, stderr } = await runCommand(["events", "watch"], { server: url });
      expect({ exitCode, ids: idsOf(stdout) }).toStrictEqual({ exitCode: 1, ids: messages === 0 ? ["1"] : ["1", "2"] });
      expect(stderr).toMatch(/^error: no\n/);
      expect(requests).toHaveLength(2);
    }
  });
});

test("before the first message, --retries limits the attempts", async () => {
  const unavailable = { messages: 0, ending: fail(unavailableError) };
  const { url, requests } = await startBrokenStream(unavailable, unavailable, unavailable);
  const watch = (...args: string[]) => runCommand(["events", "watch", "--limit", "2", ...args], { server: url });
  expect(await watch("--retries", "1")).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("the database is unavailable"),
  });
  expect(requests).toHaveLength(2);
  expect(await watch("--retries", "1")).toMatchObject({ exitCode: 0 });
});

test("a watch says once which server it waits for, and Ctrl-C ends the wait", async () => {
  const { url, close } = await startBrokenStream(
    { messages: 2, ending: fail(unavailableError) },
    { messages: 0, ending: silence },
  );
  const watch = startWatch(url, "--timeout", "1h");
  await pollUntil(async () => watch.ids().length === 1);
  close();
  watch.process.stderr?.once("data", () => watch.process.kill("SIGINT"));
  expect(await watch.result).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^Waiting for \S+: [^\n]+, retrying\nContinue with --cursor after 1\n$/),
  });
});
