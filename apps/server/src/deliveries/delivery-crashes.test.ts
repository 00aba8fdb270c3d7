import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../database/open-database.js";
import { createDataLocation } from "../testing/data-location.js";
import { createJsonClient } from "../testing/json-client.js";
import { createManualPoolFields, getPoolKeyFields, newAccountWithNumber } from "../testing/request-fields.js";
import { type ServerProcess, startServerProcess } from "../testing/server-process.js";
import { startWebhookReceiver, type WebhookAnswerer } from "../testing/webhook-receiver.js";

/** How often a server is killed while pools change. */
const KILLS = Number(process.env.DELIVERY_KILLS ?? 2);

const SERVERS = 3;

const accept: WebhookAnswerer = (response) => response.end();

/** The answers from which a failing receiver chooses at random. */
const TROUBLES: readonly WebhookAnswerer[] = [
  accept,
  accept,
  accept,
  (response) => response.writeHead(500).end("no"),
  (response) => response.writeHead(503, { "retry-after": "1" }).end(),
  (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
  (response) => response.destroy(),
  (response) => void setTimeout(() => response.end(), 300),
];

test("every committed event is delivered, in order for each resource, while servers are killed and receivers fail", async () => {
  await using location = await createDataLocation("postgres");
  const environment = { ...location.environment, WEBHOOKS_ALLOW_PRIVATE: "on", PASSES: "off" };
  const servers: (ServerProcess | undefined)[] = await Promise.all(
    Array.from({ length: SERVERS }, () => startServerProcess(environment)),
  );
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server?.[Symbol.asyncDispose]()))));
  await using ordered = await startWebhookReceiver();
  await using unordered = await startWebhookReceiver();
  await using hanging = await startWebhookReceiver();
  for (const receiver of [ordered, unordered]) {
    receiver.answer = (...request) =>
      (TROUBLES[Math.floor(Math.random() * TROUBLES.length)] as WebhookAnswerer)(...request);
  }
  hanging.answer = () => {};
  const first = createJsonClient(servers[0]?.url ?? "");
  const { account, number } = await newAccountWithNumber(first);
  const account_id = account.account_token;
  const fields = { account_id, types: ["pool.created", "pool.updated"] };
  for (const [receiver, rest] of [
    [ordered, { ordered: true, concurrency: 20 }],
    [unordered, { concurrency: 20 }],
    [hanging, {}],
  ] as const) {
    await first.createWebhookEndpoint({ ...fields, ...rest, url: receiver.url });
  }
  const pools = await Promise.all(
    Array.from({ length: 5 }, () => first.createPool(createManualPoolFields(account, number))),
  );
  const database = openDatabase({ kind: "postgres", processes: 1, url: location.environment.DATABASE_URL ?? "" });
  onTestFinished(() => database.close());
  const run = (statement: string) => sql.raw<Record<string, string>>(statement).execute(database.kysely);
  /** Makes all waiting deliveries due. The leases of killed servers expire on their own. */
  const passTime = async () => {
    await run("update webhook_deliveries set due_at = now() where status = 'waiting' and due_at < 'infinity'");
    await run("update webhook_endpoints set retry_after = null, due_at = now()");
  };

  let kills = 0;
  const isOver = () => kills >= KILLS;
  /** Changes pools through any server. Some requests fail because their server is killed. */
  async function change(): Promise<void> {
    for (let size = 1; !isOver(); size++) {
      const server = servers[Math.floor(Math.random() * SERVERS)];
      const pool = pools[Math.floor(Math.random() * pools.length)] ?? pools[0];
      if (server === undefined || pool === undefined) continue;
      await createJsonClient(server.url)
        .updatePool({ ...getPoolKeyFields(account, pool), size: 1 + (size % 100) })
        .catch(() => {});
      await pause(20);
    }
  }
  async function kill(): Promise<void> {
    for (; !isOver(); kills++) {
      await pause(700 + Math.random() * 500);
      const index = Math.floor(Math.random() * SERVERS);
      const victim = servers[index];
      servers[index] = undefined;
      await victim?.stop("SIGKILL");
      servers[index] = await startServerProcess(environment);
      await passTime();
    }
  }
  await Promise.all([change(), change(), change(), kill()]);

  for (const receiver of [ordered, unordered]) receiver.answer = accept;
  const { rows: events } = await run(
    "select position::text, type from events where type in ('pool.created', 'pool.updated') order by position",
  );
  const committed = events.map(({ position }) => position);
  expect(committed.length).toBeGreaterThan(30);
  for (const receiver of [ordered, unordered]) {
    const delivered = () => new Set(receiver.received.map(({ event }) => event.position));
    await expect
      .poll(
        async () => {
          await passTime();
          return committed.filter((position) => !delivered().has(position ?? "")).length;
        },
        { timeout: 90_000, interval: 500 },
      )
      .toBe(0);
    // No event was delivered before its change was committed, or although its change was rolled back.
    expect([...delivered()].filter((position) => !committed.includes(position))).toEqual([]);
    const ids = new Map(receiver.received.map(({ event, headers }) => [event.position, headers["webhook-id"]]));
    for (const { event, headers } of receiver.received) expect(headers["webhook-id"]).toBe(ids.get(event.position));
  }
  // When an event arrives for the first time, all earlier events of the same pool have arrived.
  for (const { id } of pools) {
    const positions = ordered.received
      .filter(({ event }) => event.subject.endsWith(id))
      .map(({ event }) => Number(event.position));
    const firsts = positions.filter((position, index) => positions.indexOf(position) === index);
    expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
  }
});
