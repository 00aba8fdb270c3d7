import { randomUUID } from "node:crypto";
import type pg from "pg";
import { CONCURRENCY, runCheckedLoad } from "../checked-load.ts";
import { ratioOf, type Spread, spreadOf } from "../comparison.ts";
import type { LoadGenerator } from "../load/load.ts";
import type { RunningPeer } from "../peers/peer.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { createPool } from "../workloads/json-workloads.ts";
import { readJson } from "../workloads/send-json.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import { type CallsSeed, resetCalls } from "./calls-seed.ts";

/** More requests than a server can answer in a round. They are prepared anew for each round, because their ids must be unique. */
const REQUESTS = 40_000;

/** A kind of request that creates rows. */
interface Creation {
  readonly title: string;
  /** The table that gets one row for each request. */
  readonly table: "calls" | "visit_events" | "pools";
  request(index: number): LoadRequest;
}

/** Requests per second of one kind, beside those of others. */
export interface CreationComparison {
  readonly title: string;
  readonly requestsPerSecond: Spread;
  readonly cpuMicroseconds: Spread;
  /** Requests of `CreateCall` for 100 accounts per second, divided by those of this kind in the same round. */
  readonly ratio: Spread;
}

/** Measures a saturated server that creates calls, beside one that records visits and creates pools, in alternating rounds. */
export async function compareCreations(
  seed: CallsSeed,
  server: RunningPeer,
  client: pg.Client,
  generateLoad: LoadGenerator,
  plan: RoundPlan,
): Promise<readonly CreationComparison[]> {
  const creations = creationsOf(seed);
  const contestants = creations.map(({ table, request }) => (seconds: number) => {
    const requests = Array.from({ length: REQUESTS }, (_, index) => request(index));
    const load = { port: server.port, protocol: "json", requests, concurrency: CONCURRENCY, seconds } as const;
    const checks = {
      ask: async () => void (await readJson(server.port, request(0))),
      countCreated: async () => Number((await client.query(`select count(*) from ${table}`)).rows[0].count),
    };
    return runCheckedLoad(server, load, checks, generateLoad);
  });
  const rounds = await runRounds(contestants, plan, () => resetCalls(client));
  return creations.map(({ title }, place) => {
    const of = (figure: "requestsPerSecond" | "cpuMicroseconds") =>
      spreadOf(rounds.map((round) => round[place]?.[figure]));
    return {
      title,
      requestsPerSecond: of("requestsPerSecond"),
      cpuMicroseconds: of("cpuMicroseconds"),
      ratio: spreadOf(ratioOf(rounds, "requestsPerSecond", 0, place)),
    };
  });
}

function creationsOf({ account, numbers, smallAccounts }: CallsSeed): readonly Creation[] {
  const at = <T>(values: readonly T[], index: number) => values[index % values.length] as T;
  const pools = createPool.requests({ writtenAccounts: smallAccounts } as never);
  return [
    {
      title: "CreateCall, 100 accounts",
      table: "calls",
      request: (index) => newCall(at(smallAccounts, index).trackingNumber),
    },
    { title: "CreateCall, one account", table: "calls", request: (index) => newCall(at(numbers, index)) },
    {
      title: "RecordVisits, 100 accounts",
      table: "visit_events",
      request: (index) => newVisit(at(smallAccounts, index).accountToken),
    },
    { title: "RecordVisits, one account", table: "visit_events", request: () => newVisit(account.token) },
    { title: "CreatePool, 100 accounts", table: "pools", request: (index) => at(pools, index) },
  ];
}

function newCall(tracking_number: string): LoadRequest {
  const caller_number = `+1212${Math.floor(Math.random() * 1e7) + 1e7}`.slice(0, 12);
  const body = { call_id: `new-${randomUUID()}`, tracking_number, caller_number, started_at: new Date().toISOString() };
  return { method: "POST", path: "/dni_manager/calls", body: JSON.stringify(body) };
}

function newVisit(account: string): LoadRequest {
  const visit = { event_id: randomUUID(), property_token: "shop0", source: "source 1", medium: "medium 1" };
  const path = `/dni_manager/accounts/${account}/visits`;
  return { method: "POST", path, body: JSON.stringify({ visits: [visit] }) };
}
