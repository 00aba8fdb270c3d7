import { randomUUID } from "node:crypto";
import type pg from "pg";
import { compare, type Spread, spreadOf } from "../comparison.ts";
import type { LoadGenerator } from "../load/load.ts";
import type { RunningPeer } from "../peers/peer.ts";
import { type RoundPlan, runRounds } from "../rounds.ts";
import { createLoadContestant, type Measurement } from "../server-under-load.ts";
import { createPool } from "../workloads/json-workloads.ts";
import type { LoadRequest, Workload } from "../workloads/workload.ts";
import { type CallsSeed, resetCalls } from "./calls-seed.ts";

/** More requests than a server can answer in a round. They are prepared anew for each round, because their ids must be unique. */
const REQUESTS = 40_000;

/** A kind of request that creates rows. */
interface Creation {
  readonly title: string;
  readonly workload: Pick<Workload, "protocol" | "status">;
  requests(): readonly LoadRequest[];
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
  const contestants = creations.map(({ workload, requests }) => (seconds: number) => {
    const measure = createLoadContestant(server, workload as Workload, requests(), generateLoad);
    return measure(seconds);
  });
  const rounds = await runRounds<Measurement>(contestants, plan, () => resetCalls(client));
  return creations.map(({ title }, place) => {
    const of = (figure: "requestsPerSecond" | "cpuMicroseconds") =>
      spreadOf(rounds.map((round) => round[place]?.[figure] ?? Number.NaN));
    return {
      title,
      requestsPerSecond: of("requestsPerSecond"),
      cpuMicroseconds: of("cpuMicroseconds"),
      ratio: compare(rounds, 0, place).requestsPerSecond,
    };
  });
}

function creationsOf({ account, numbers, smallAccounts }: CallsSeed): readonly Creation[] {
  const created = { protocol: "json", status: 201 } as const;
  const calls = (numbersOfCalls: readonly string[]) => () =>
    Array.from({ length: REQUESTS }, (_, index) => newCall(numbersOfCalls[index % numbersOfCalls.length] as string));
  const visits = (tokens: readonly string[]) => () =>
    Array.from({ length: REQUESTS }, (_, index) => newVisit(tokens[index % tokens.length] as string));
  return [
    {
      title: "CreateCall, 100 accounts",
      workload: created,
      requests: calls(smallAccounts.map((each) => each.trackingNumber)),
    },
    { title: "CreateCall, one account", workload: created, requests: calls(numbers) },
    {
      title: "RecordVisits, 100 accounts",
      workload: { ...created, status: 200 },
      requests: visits(smallAccounts.map(({ accountToken }) => accountToken)),
    },
    { title: "RecordVisits, one account", workload: { ...created, status: 200 }, requests: visits([account.token]) },
    {
      title: "CreatePool, 100 accounts",
      workload: created,
      requests: () => createPool.requests({ writtenAccounts: smallAccounts } as never),
    },
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
