import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { anyTimestamp } from "../../testing/any-value.js";
import { runCli, startCli } from "../../testing/cli.js";
import { pollUntil } from "../../testing/poll-until.js";
import { createFilledPool } from "../../testing/sample-pool.js";
import { startSharedServer } from "../../testing/shared-server.js";
import { type ReceivedRequest, startWebhookReceiver } from "../../testing/webhook-receiver.js";

const server = await startSharedServer({ settings: { WEBHOOKS_ALLOW_PRIVATE: "on" } });
const { json, run } = server;
const pool = await createFilledPool(server, "acme", "222", 1);
await json("accounts", "create", "globex");
const [tracker] = await json("trackers", "list", "acme", pool);
await json("calls", "record", String(tracker?.tracking_number), "--call-id", "1", "--caller", "+12125550123");

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

const LISTEN = ["webhook-endpoints", "listen", "--forward-to"];

const parseLines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Runs listen until its --limit, and returns its output. */
async function listen(url: string, ...args: string[]) {
  const { exitCode, stdout, stderr } = await run(...LISTEN, url, ...args);
  expect(exitCode, stderr).toBe(0);
  return { results: parseLines(stdout), stderr };
}

/** Starts listen, and waits until it is connected. */
async function startListen(url: string, ...args: string[]) {
  const cli = startCli([...LISTEN, url, ...args], { server: server.url });
  onTestFinished(() => void cli.process.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    cli.process[name]?.on("data", (text) => {
      written[name] += text;
    });
  await pollUntil(async () => written.stderr.includes("Connected"));
  return { ...cli, results: () => parseLines(written.stdout) };
}

const setEnabled = (isEnabled: boolean) => json("accounts", isEnabled ? "enable" : "disable", "globex");

function verify(secret: string, { headers, body }: ReceivedRequest) {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

async function readEvents(...args: string[]): Promise<Record<string, unknown>[]> {
  return parseLines((await run("events", "list", ...args)).stdout);
}

describe("webhook-endpoints listen", () => {
  test("sends each event as the server does, signed with the secret that it prints", async () => {
    const receiver = await startWebhookReceiver();
    const events = await readEvents("acme");
    const limit = ["--account", "acme", "--since", "1h", "--limit", String(events.length)];
    const { results, stderr } = await listen(receiver.url, ...limit);
    expect(stderr).toMatch(
      /^Secret that signs the requests: whsec_\S+\nConnected: sending events to http:\/\/127\.0\.0\.1:\d+\/hook until Ctrl-C\.\nContinue with --cursor \S+\n$/,
    );
    const [secret = ""] = /whsec_\S+/.exec(stderr) ?? [];
    const bodies = receiver.requests.map((request) => verify(secret, request));
    expect(bodies).toHaveLength(events.length);
    expect(bodies).toStrictEqual(expect.arrayContaining(events));
    for (const { headers } of receiver.requests) expect(headers["content-type"]).toBe("application/json");
    expect(results).toHaveLength(events.length);
    expect(results).toContainEqual({
      ...{ at: anyTimestamp, type: "account.created", subject: "/call_tracking/accounts/acme" },
      ...{ event_id: events[0]?.id, status: 204, failure: null, duration_ms: expect.any(Number) },
    });
    expect((await listen(receiver.url, ...limit)).stderr).not.toContain(secret);
  });

  test.each(["full", "thin"])("sends the same %s bodies that a webhook endpoint gets", async (payload) => {
    const [own, remote] = [await startWebhookReceiver(), await startWebhookReceiver()];
    const options = ["--account", "acme", "--type", "account.*", "call.*", "pool.*", "--payload", payload];
    const { id } = await json("webhook-endpoints", "create", remote.url, ...options);
    await json("webhook-endpoints", "redeliver", String(id), "--account", "acme", "--since", "1h");
    const count = (await readEvents("acme", "--type", "account.*", "--type", "call.*", "--type", "pool.*")).length;
    expect(count).toBeGreaterThan(2);
    await listen(own.url, ...options, "--since", "1h", "--limit", String(count));
    await pollUntil(async () => remote.requests.length >= count);
    const bodies = ({ requests }: typeof own) => requests.map(({ body }) => body).toSorted();
    expect(bodies(own)).toStrictEqual(bodies(remote));
    const shown = payload === "full" ? expect.arrayContaining(["call"]) : expect.not.arrayContaining(["call"]);
    const call = own.requests.find(({ body }) => body.includes('"type":"call.'));
    expect(Object.keys(JSON.parse(call?.body ?? "{}"))).toStrictEqual(shown);
    await json("webhook-endpoints", "disable", String(id), "--account", "acme");
  });

  test("selects the events of an account and of types", async () => {
    const receiver = await startWebhookReceiver();
    await setEnabled(false);
    const { results } = await listen(
      ...[receiver.url, "--account", "globex", "--type", "account.disabled", "pool.*", "--since", "1h"],
      ...["--limit", "1", "--secret", SECRET],
    );
    expect(results).toMatchObject([{ type: "account.disabled", subject: "/call_tracking/accounts/globex" }]);
    expect(verify(SECRET, receiver.requests[0] as ReceivedRequest)).toMatchObject({ type: "account.disabled" });
  });

  test("survives a receiver that is down, and sends no event twice", async () => {
    let receiver = await startWebhookReceiver();
    const { url } = receiver;
    const cli = await startListen(url, "--account", "globex");
    await setEnabled(true);
    await pollUntil(async () => cli.results().length === 1);
    receiver.stop();
    await setEnabled(false);
    await pollUntil(async () => cli.results().length === 2);
    receiver = await startWebhookReceiver(undefined, Number(new URL(url).port));
    await setEnabled(true);
    await pollUntil(async () => cli.results().length === 3);
    cli.process.kill("SIGINT");
    expect(await cli.result).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/\nContinue with --cursor \S+\n$/),
    });
    expect(cli.results()).toMatchObject([
      { type: "account.enabled", status: 204, failure: null },
      { type: "account.disabled", status: null, failure: "the receiver refused the connection" },
      { type: "account.enabled", status: 204, failure: null },
    ]);
    expect(receiver.requests).toHaveLength(1);
  });

  test("shows responses that do not accept the event", async () => {
    const statuses = [500, 302, 101, 410];
    const receiver = await startWebhookReceiver((response) => {
      const status = statuses.shift();
      if (status === undefined) response.destroy();
      else response.writeHead(status, { location: "/", connection: "upgrade", upgrade: "other" }).end("no");
    });
    const { results } = await listen(receiver.url, "--account", "acme", "--since", "1h", "--limit", "5");
    const failures = results.map(({ status, failure }) => [status, failure]);
    expect(failures).toStrictEqual(
      expect.arrayContaining([
        [500, "the receiver answered 500"],
        [302, "the receiver answered 302: redirects are not followed"],
        [101, "the receiver answered 101"],
        [410, "the receiver answered 410"],
        [null, "the receiver closed the connection without an answer"],
      ]),
    );
  });

  test("sends the events of one resource in order, and those of other resources at the same time", async () => {
    for (let round = 0; round < 4; round++)
      for (const name of ["disable", "enable"]) await json("accounts", name, "globex");
    for (let count = 0; count < 12; count++) await json("accounts", "create", `many-${count}`);
    const inFlight: string[] = [];
    let most = 0;
    const { promise: areTenInFlight, resolve } = Promise.withResolvers<void>();
    const receiver = await startWebhookReceiver(async (response, { body }) => {
      const { subject } = JSON.parse(body);
      expect(inFlight).not.toContain(subject);
      inFlight.push(subject);
      most = Math.max(most, inFlight.length);
      if (inFlight.length === 10) resolve();
      // A busy machine takes long to send the first requests.
      await areTenInFlight;
      await sleep(50);
      inFlight.splice(inFlight.indexOf(subject), 1);
      response.writeHead(inFlight.includes(subject) ? 500 : 204).end();
    });
    const events = await readEvents("--type", "account.*");
    const { results } = await listen(
      ...[receiver.url, "--type", "account.*", "--since", "1h", "--limit", String(events.length)],
    );
    const isGlobex = ({ subject }: Record<string, unknown>) => String(subject).endsWith("/globex");
    const sent = receiver.requests.map(({ body }) => JSON.parse(body)).filter(isGlobex);
    expect(sent.map(({ id }) => id)).toStrictEqual(events.filter(isGlobex).map(({ id }) => id));
    expect(results.every(({ status }) => status === 204)).toBe(true);
    expect(most).toBe(10);
  });

  test("omits test events of webhook endpoints", async () => {
    const receiver = await startWebhookReceiver();
    const remote = await startWebhookReceiver();
    const endpoint = await json("webhook-endpoints", "create", remote.url, "--account", "globex", "--type", "pool.*");
    const cli = await startListen(receiver.url, "--account", "globex");
    await json("webhook-endpoints", "test", String(endpoint.id), "--account", "globex");
    await setEnabled(false);
    await pollUntil(async () => cli.results().length > 0);
    cli.process.kill("SIGTERM");
    await cli.result;
    expect(cli.results()).toMatchObject([{ type: "account.disabled" }]);
  });

  test("finishes requests at Ctrl-C, and prints the cursor after the sent events", async () => {
    const answers: (() => void)[] = [];
    const receiver = await startWebhookReceiver(async (response) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      response.writeHead(204).end();
    });
    const cli = await startListen(receiver.url, "--account", "globex");
    await setEnabled(true);
    await setEnabled(false);
    await pollUntil(async () => answers.length === 1);
    cli.process.kill("SIGINT");
    await sleep(300);
    answers[0]?.();
    const { exitCode, stderr } = await cli.result;
    expect({ exitCode, results: cli.results() }).toMatchObject({
      exitCode: 0,
      results: [{ type: "account.enabled", status: 204 }],
    });
    const [, cursor = ""] = /--cursor (\S+)/.exec(stderr) ?? [];
    expect(await readEvents("globex", "--cursor", cursor)).toMatchObject([{ type: "account.disabled" }]);
  });

  test("does not wait for a receiver that does not answer after Ctrl-C", async () => {
    const receiver = await startWebhookReceiver(() => {});
    const cli = await startListen(receiver.url, "--account", "globex");
    await setEnabled(true);
    await pollUntil(async () => receiver.requests.length === 1);
    cli.process.kill("SIGINT");
    const { exitCode, stderr } = await cli.result;
    expect({ exitCode, results: cli.results() }).toMatchObject({
      exitCode: 0,
      results: [{ type: "account.enabled", status: null, failure: "interrupted" }],
    });
    const [, cursor = ""] = /--cursor (\S+)/.exec(stderr) ?? [];
    expect(await readEvents("globex", "--cursor", cursor)).toMatchObject([{ type: "account.enabled" }]);
  });

  test("shows a line for each event in a table", async () => {
    const receiver = await startWebhookReceiver();
    const args = ["--account", "acme", "--since", "1h", "--type", "account.created", "--limit", "1", "-o", "table"];
    const { stdout } = await run(...LISTEN, receiver.url, ...args);
    expect(stdout).toMatch(
      /^at +type +subject +result +duration\n\S+ \S+Z +account.created +accounts\/acme +204 +\d+ ms\n$/,
    );
  });

  test.each([
    [["/hook"], 2, "It must be a URL"],
    [["ftp://127.0.0.1/"], 2, "It must begin with https:// or http://."],
    [["http://u:p@127.0.0.1/"], 2, "It must not contain a user name or password"],
    [["http://127.0.0.1/", "--secret", "whsec_short"], 2, "Must be whsec_ followed by the base64 of 24 to 64 bytes."],
    [["http://127.0.0.1/", "--payload", "tiny"], 2, "Allowed choices are full, thin."],
    [["http://127.0.0.1/", "--sort", "type"], 2, "--sort needs the whole list"],
    [["http://127.0.0.1/", "--type", "call.begun"], 1, "types[0] must be an event type"],
    [["http://127.0.0.1/", "--account", "nobody"], 1, 'account "nobody" not found'],
    [["http://127.0.0.1/", "--cursor", "abc"], 1, "the cursor does not belong to this event log"],
  ])("rejects %j", async (args, exitCode, message) => {
    const result = await run(...LISTEN, ...args);
    expect(result).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("needs a URL, and reads the secret from the environment", async () => {
    expect((await run("webhook-endpoints", "listen")).stderr).toContain("required option '--forward-to <url>'");
    const args = ["http://127.0.0.1:1/", "--since", "1h", "--limit", "1"];
    const environment = { CALLTRACK_WEBHOOK_SECRET: SECRET };
    const { stderr } = await runCli([...LISTEN, ...args], { server: server.url, environment });
    expect(stderr).toContain(`Secret that signs the requests: ${SECRET}\n`);
  });

  test("says which server is unreachable", async () => {
    const result = await runCli([...LISTEN, "http://127.0.0.1:1/"], { server: "http://127.0.0.1:1" });
    expect(result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("connection refused") });
  });
});
