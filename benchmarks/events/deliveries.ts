import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { seedCalls } from "../calls/calls-seed.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { connectToPostgres, type PostgresServer } from "../postgres.ts";
import { INSERT_HOLDERS } from "../tracking-number-holders.ts";
import { type LatencyPercentiles, sendAtConstantRate, summarizeLatencies } from "../voice/paced-load.ts";
import { createWebhookReceiver } from "../webhook-receiver.ts";
import { requestJson } from "../workloads/send-json.ts";

/** The number of calls that exist before the measurement, so that PostgreSQL plans its statements for a table that is in use. */
const RECORDED_CALLS = 100_000;
const BATCH = 100;
const BATCHES_PER_SECOND = 10;

/** The figures of deliveries to a receiver that answers immediately. */
export interface DeliveryFigures {
  /** Calls recorded per second. Each call causes one event. */
  readonly perSecond: number;
  /** The times from an event to the arrival of its webhook request. */
  readonly latencies: LatencyPercentiles;
  /** Transactions per second of the idle server before the webhook endpoint is created. `restAfter` is the rate after all deliveries. */
  readonly restBefore: number;
  readonly restAfter: number;
}

/** Records calls with `calls:batch`, and measures how long their events take to reach a webhook endpoint. */
export async function measureDeliveries(
  resources: AsyncDisposableStack,
  { url }: PostgresServer,
  { deliverySeconds, restSeconds }: { readonly deliverySeconds: number; readonly restSeconds: number },
): Promise<DeliveryFigures> {
  const SECRETS_KEY = randomBytes(32).toString("base64");
  const environment = { ...calltrackPeer.environment, SECRETS_KEY, WEBHOOKS_ALLOW_PRIVATE: "on" };
  const { port } = await startPeer(resources, { ...calltrackPeer, environment }, url);
  const client = await connectToPostgres(resources, url);
  await seedCalls(client, RECORDED_CALLS);
  await client.query(INSERT_HOLDERS);
  const { rows } = await client.query<{ phone_number: string }>("select phone_number from tracking_number_holders");
  const numbers = rows.map(({ phone_number }) => phone_number);
  const restBefore = await countTransactions(client, restSeconds);

  const arrivals = new Map<string, number>();
  await createWebhookReceiver(resources, port, (body) => {
    const { id, type, occurred_at } = JSON.parse(body);
    if (type === "call.ended" && !arrivals.has(id)) arrivals.set(id, Date.now() - Date.parse(occurred_at));
  });

  let sent = 0;
  /** Records one batch of calls that have just ended. */
  async function record(): Promise<void> {
    const startedAt = Date.now() - 60_000;
    const calls = Array.from({ length: BATCH }, () => ({
      ...{ call_id: `delivered-${++sent}`, tracking_number: numbers[sent % numbers.length] },
      ...{ caller_number: `+1415${5_000_000 + sent}`, started_at: new Date(startedAt).toISOString() },
      ...{ answered_at: new Date(startedAt + 5_000).toISOString(), ended_at: new Date().toISOString() },
    }));
    const answer = await requestJson(port, {
      method: "POST",
      path: "/dni_manager/calls:batch",
      body: JSON.stringify({ calls }),
    });
    if (JSON.parse(answer).created !== BATCH) throw new Error(`a batch was not recorded: ${answer}`);
  }
  const load = async (seconds: number) => {
    await sendAtConstantRate(record, BATCHES_PER_SECOND, seconds);
    const deadline = Date.now() + 60_000;
    while (arrivals.size < seconds * BATCHES_PER_SECOND * BATCH) {
      if (Date.now() > deadline) throw new Error(`only ${arrivals.size} events arrived in time`);
      await pause(50);
    }
  };
  // A warm-up, because the first requests run code that is not compiled yet.
  await load(5);
  arrivals.clear();
  await load(deliverySeconds);
  const latencies = summarizeLatencies([...arrivals.values()]);
  await pause(10_000);
  const restAfter = await countTransactions(client, restSeconds);
  return { perSecond: BATCH * BATCHES_PER_SECOND, latencies, restBefore, restAfter };
}

/** Returns the transactions per second in the client's database, without those of the counting statements. */
async function countTransactions(client: pg.Client, seconds: number): Promise<number> {
  const count = async () => Number((await client.query(COUNT_TRANSACTIONS)).rows[0].count);
  // Idle sessions report their statistics with a delay of some seconds.
  await pause(30_000);
  const before = await count();
  await pause(seconds * 1000);
  return ((await count()) - before - 1) / seconds;
}

const COUNT_TRANSACTIONS = `
  select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`;
