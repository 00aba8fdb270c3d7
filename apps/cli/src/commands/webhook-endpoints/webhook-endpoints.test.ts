import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { anyTimestamp, anyUuid } from "../../testing/any-value.js";
import { runCli, startCli } from "../../testing/cli.js";
import { pollUntil } from "../../testing/poll-until.js";
import { startSharedServer } from "../../testing/shared-server.js";
import { type ReceivedRequest, startWebhookReceiver } from "../../testing/webhook-receiver.js";

const server = await startSharedServer({ settings: { WEBHOOKS_ALLOW_PRIVATE: "on" } });
const { run, json, refusal } = server;
await json("accounts", "create", "acme");
await json("accounts", "create", "globex");

/** A URL that refuses connections. */
const NOWHERE = "http://127.0.0.1:1/hook";

const ACME = ["--account", "acme"];

const anySecret: unknown = expect.stringMatching(/^whsec_[\w+/]{43}=$/);

/** Runs a subcommand that succeeds, and returns its JSON output. */
const endpoints = (...args: string[]) => json("webhook-endpoints", ...args);

/** Creates a webhook endpoint that gets no events about itself, and returns its id and its secret. */
async function create(url: string, ...options: string[]): Promise<{ id: string; secret: string }> {
  const { id, secret } = await endpoints("create", url, "--type", "account.*", ...options);
  return { id: String(id), secret: String(secret) };
}

function verify(secret: string, { headers, body }: ReceivedRequest) {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}

describe("webhook endpoints", () => {
  test.each([
    ["an account", ACME, "acme"],
    ["all accounts", [], null],
  ])("create, get, list, update, disable, resume and delete one for %s", async (_, account, token) => {
    const created = await endpoints("create", NOWHERE, ...account);
    const { secret, ...shown } = created;
    expect(created).toStrictEqual({
      ...{ id: anyUuid, account_token: token, url: NOWHERE, description: null, types: [], payload: "full" },
      ...{ ordered: false, concurrency: 10, max_age: "86400s", is_active: true, inactive_reason: null },
      ...{ created_at: anyTimestamp, updated_at: anyTimestamp, secret: anySecret },
      secrets: [{ created_at: anyTimestamp, expires_at: null, is_readable: true }],
    });
    const id = String(created.id);
    expect(await endpoints("get", id, ...account)).toStrictEqual(shown);
    expect(await endpoints("list", ...account)).toContainEqual(shown);
    const settings = ["--type", "call.*", "pool.updated", "--payload", "thin", "--ordered", "--max-age", "7d"];
    const more = ["--url", `${NOWHERE}/2`, "--description", "the CRM", "--concurrency", "20"];
    const updated = await endpoints("update", id, ...account, ...settings, ...more);
    expect(updated).toStrictEqual({
      ...{ ...shown, url: `${NOWHERE}/2`, description: "the CRM", types: ["call.*", "pool.updated"] },
      ...{ payload: "thin", ordered: true, concurrency: 20, max_age: "604800s", updated_at: anyTimestamp },
    });
    expect(await endpoints("update", id, ...account, "--type", "", "--no-ordered")).toMatchObject({
      ...{ types: [], ordered: false, description: "the CRM" },
    });
    expect(await endpoints("disable", id, ...account)).toMatchObject({
      ...{ is_active: false, inactive_reason: expect.any(String) },
    });
    expect(await endpoints("resume", id, ...account)).toMatchObject({ is_active: true, inactive_reason: null });
    expect(await run("webhook-endpoints", "delete", id, ...account)).toStrictEqual({
      ...{ exitCode: 0, stdout: "", stderr: "Webhook endpoint deleted.\n" },
    });
    expect(await endpoints("list", ...account)).not.toContainEqual(expect.objectContaining({ id }));
    expect(await refusal("webhook-endpoints", "get", id, ...account)).toContain(`webhook endpoint "${id}" not found`);
  });

  test("are created with their settings", async () => {
    const settings = ["--type", "call.ended", "--payload", "thin", "--ordered", "--concurrency", "1"];
    const created = await endpoints("create", NOWHERE, ...ACME, ...settings, "--max-age", "90m", "--description", "x");
    expect(created).toMatchObject({
      ...{ types: ["call.ended"], payload: "thin", ordered: true, concurrency: 1, max_age: "5400s", description: "x" },
    });
  });

  test("are listed in a table, and limited", async () => {
    const { id } = await create(NOWHERE, "--account", "globex", "--description", "a note");
    const { stdout } = await run("webhook-endpoints", "list", "--account", "globex");
    expect(stdout).toMatch(/^id +url +types +is_active +inactive_reason +description\n/);
    expect(stdout).toMatch(new RegExp(`${id} +http://127.0.0.1:1/hook +account\\.\\* +true +- +a note\n$`));
    await create(NOWHERE, "--account", "globex");
    expect(await endpoints("list", "--account", "globex", "--limit", "1")).toMatchObject([{ id }]);
  });

  test("show a secret once, with advice on stderr", async () => {
    const { exitCode, stdout, stderr } = await run("webhook-endpoints", "create", NOWHERE, ...ACME);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^secret +whsec_\S+$/m);
    expect(stderr).toBe(
      "Store the secret now: the server does not show it again. The receiver verifies requests with it.\n",
    );
    const [, id = ""] = /^id +(\S+)$/m.exec(stdout) ?? [];
    const rotated = await run("webhook-endpoints", "rotate", id, ...ACME);
    expect(rotated.stdout).toMatch(/^secret +whsec_\S+$/m);
    expect(rotated.stderr).toBe(stderr);
    expect((await run("webhook-endpoints", "get", id, ...ACME)).stdout).not.toContain("whsec_");
  });

  test("are updated only if the etag matches", async () => {
    const { id } = await create(NOWHERE, ...ACME);
    const { stdout: etag } = await run("webhook-endpoints", "get", id, ...ACME, "--etag");
    await endpoints("update", id, ...ACME, "--concurrency", "2", "--if-match", etag.trim());
    expect(await refusal("webhook-endpoints", "disable", id, ...ACME, "--if-match", etag.trim())).toContain("etag");
  });
});

describe("reports errors", () => {
  test.each([
    ["create nowhere", "must be a URL, such as https://crm.example.com/calltrack"],
    ["create http://127.0.0.1:1/hook --type call.begun", "types[0] must be an event type such as call.ended"],
    ["create http://127.0.0.1:1/hook --concurrency 51", "concurrency must be between 1 and 50"],
    ["create http://127.0.0.1:1/hook --account nobody", 'account "nobody" not found'],
    ["get x --account acme", 'webhook endpoint "x" not found'],
    ["delete x", 'webhook endpoint "x" not found'],
    ["test x", 'webhook endpoint "x" not found'],
    ["deliveries x", 'webhook endpoint "x" not found'],
    ["rotate x --overlap 8d", "overlap_seconds must be between 0 and 604800"],
    ["redeliver x --since 1h", 'webhook endpoint "x" not found'],
  ])("rejected: %s", async (line, message) => {
    expect(await refusal("webhook-endpoints", ...line.split(" "))).toContain(message);
  });

  test.each([
    ["create http://127.0.0.1:1/hook --payload tiny", "Allowed choices are full, thin."],
    ["create http://127.0.0.1:1/hook --max-age long", "Must be a duration such as 30d, 12h, 90m or 60s."],
    ["deliveries x --status lost", "Allowed choices are waiting, delivered, dead."],
    ["redeliver x", "pass either the id of a delivery, or a time with --since"],
    ["redeliver x 1 --since 1h", "pass either the id of a delivery, or a time with --since"],
  ])("wrong usage: %s", async (line, message) => {
    const { exitCode, stdout, stderr } = await run("webhook-endpoints", ...line.split(" "));
    expect({ exitCode, stdout, stderr }).toStrictEqual({
      ...{ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) },
    });
  });
});

describe("webhook-endpoints test", () => {
  test("waits until the test is accepted", async () => {
    const receiver = await startWebhookReceiver();
    const { id, secret } = await create(receiver.url, ...ACME);
    const { exitCode, stdout, stderr } = await runCli(["webhook-endpoints", "test", id, ...ACME], {
      server: server.url,
    });
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^is_accepted +true\n(?:.*\n)*status +delivered\n(?:.*\n)*response_status +204\n/);
    expect(receiver.requests.map((request) => verify(secret, request))).toMatchObject([
      { type: "webhook_endpoint.test", subject: `/dni_manager/accounts/acme/webhook_endpoints/${id}` },
    ]);
  });

  test("shows why it failed", async () => {
    const receiver = await startWebhookReceiver((response) => response.writeHead(503).end("out of order"));
    const { id } = await create(receiver.url);
    const { exitCode, stdout, stderr } = await run("webhook-endpoints", "test", id, "-o", "json");
    expect({ exitCode, stderr, ...JSON.parse(stdout) }).toMatchObject({
      ...{
        exitCode: 1,
        stderr: "error: the webhook endpoint did not accept the test event: the receiver answered 503\n",
      },
      ...{ is_accepted: false, status: "waiting", response_status: 503, failure: "the receiver answered 503" },
      ...{ response_body: "out of order", event: { type: "webhook_endpoint.test" } },
    });
    const unreachable = await create(NOWHERE);
    expect(await run("webhook-endpoints", "test", unreachable.id)).toMatchObject({
      ...{
        exitCode: 1,
        stderr: expect.stringContaining("did not accept the test event: the receiver refused the connection"),
      },
    });
  });

  test("gives up after --wait, and ends at Ctrl-C", async () => {
    const receiver = await startWebhookReceiver(() => {});
    const { id } = await create(receiver.url);
    const { exitCode, stdout, stderr } = await run("webhook-endpoints", "test", id, "--wait", "300ms");
    expect({ exitCode, stderr }).toStrictEqual({
      ...{
        exitCode: 1,
        stderr: "error: the test event has no result yet: run calltrack webhook-endpoints deliveries later\n",
      },
    });
    expect(stdout).toMatch(/^is_accepted +false\n(?:.*\n)*status +waiting\nattempts +0\n/);
    const cli = startCli(["webhook-endpoints", "test", id], { server: server.url });
    await pollUntil(async () => receiver.requests.length === 2);
    cli.process.kill("SIGINT");
    expect(await cli.result).toMatchObject({ exitCode: 130, stdout: "" });
  });

  test("needs an active webhook endpoint", async () => {
    const { id } = await create(NOWHERE);
    await endpoints("disable", id);
    expect(await refusal("webhook-endpoints", "test", id)).toContain("inactive");
  });
});

describe("deliveries", () => {
  test("are listed with their results, and sent again", async () => {
    const receiver = await startWebhookReceiver();
    const { id } = await create(receiver.url, ...ACME);
    await json("accounts", "disable", "acme");
    await json("accounts", "enable", "acme");
    const list = (...args: string[]) => endpoints("deliveries", id, ...ACME, ...args);
    await pollUntil(async () => (await list("--status", "delivered")).length === 2);
    const all = await list();
    expect(all).toMatchObject([
      { status: "delivered", attempts: 1, event: { type: "account.enabled" }, response_status: 204 },
      { status: "delivered", attempts: 1, event: { type: "account.disabled" }, response_status: 204 },
    ]);
    expect(await list("--status", "dead")).toStrictEqual([]);
    expect(await list("--limit", "1")).toStrictEqual(all.slice(0, 1));
    const { stdout } = await run("webhook-endpoints", "deliveries", id, ...ACME);
    expect(stdout).toMatch(/^id +at +type +subject +status +attempts +next_attempt_at +failure\n/);
    expect(stdout).toMatch(/account\.enabled +accounts\/acme +delivered +1 +- +-\n/);
    const first = String(all[1]?.id);
    expect(await endpoints("redeliver", id, first, ...ACME)).toMatchObject({ id: first, status: "waiting" });
    await pollUntil(async () => receiver.requests.length === 3);
    expect(receiver.requests[2]?.headers["webhook-id"]).toBe(receiver.requests[0]?.headers["webhook-id"]);
    expect(await endpoints("redeliver", id, ...ACME, "--since", "1h")).toMatchObject({ id });
    await pollUntil(async () => new Set(receiver.requests.slice(3).map(({ body }) => body)).size >= 3);
    expect(await refusal("webhook-endpoints", "redeliver", id, "99999999", ...ACME)).toContain("99999999");
    const again = await run("webhook-endpoints", "redeliver", id, first, ...ACME);
    expect(again.stdout).toMatch(new RegExp(`^id +${first}\nstatus +waiting\n`));
    expect(again.stdout).not.toMatch(/^event/m);
  });

  test("are signed with the old and the new secret after a rotation", async () => {
    const receiver = await startWebhookReceiver();
    const { id, secret: old } = await create(receiver.url);
    const { secret } = await endpoints("rotate", id, "--overlap", "1h");
    await endpoints("test", id);
    for (const each of [old, String(secret)])
      expect(verify(each, receiver.requests[0] as ReceivedRequest)).toMatchObject({ type: "webhook_endpoint.test" });
  });
});
