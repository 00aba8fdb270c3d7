import { type BenchmarkContext, peersServing } from "./bench.ts";
import { type Comparison, compare, medianOf, type Spread, spreadOf } from "./comparison.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { type RoundPlan, runRounds } from "./rounds.ts";
import { createLoadContestant, type Measurement } from "./server-under-load.ts";
import type { Workload } from "./workloads/workload.ts";

/** Saturated servers under one workload. */
export interface SaturationResults {
  readonly workload: Workload;
  /** Calltrack comes first. */
  readonly servers: readonly SaturatedServer[];
  /** Calltrack's requests per second divided by pgbench's transactions per second; undefined if pgbench has no statement. */
  readonly shareOfPgbench: Spread | undefined;
}

export interface SaturatedServer {
  readonly server: RunningPeer;
  /** Requests per second. */
  readonly saturation: number;
  /** Resident memory, in bytes. */
  readonly residentBytes: number;
  /** Utilization of the load generator, 0 to 1. */
  readonly generatorUse: number;
  /** Calltrack compared with this server. */
  readonly comparison: Comparison;
}

/** Measures all servers of a workload in turn, and pgbench in each round. */
export async function measureSaturation(
  bench: BenchmarkContext,
  workload: Workload,
  plan: RoundPlan,
): Promise<SaturationResults> {
  console.log(`\n${workload.title}`);
  const servers = peersServing(bench.peers, workload.protocol);
  const requests = workload.requests(bench.seed);
  const pgbench = await bench.pgbench?.(workload.name, bench.seed);
  const contestants = servers.map((peer) => createLoadContestant(peer, workload, requests, bench.generateLoad));
  const measured = await runRounds<Measurement | number>(
    pgbench === undefined ? contestants : [...contestants, pgbench],
    plan,
    () => bench.reset(workload),
  );
  const rounds = measured.map((round) => round.filter((each) => typeof each !== "number"));
  const transactions = measured.flat().filter((each) => typeof each === "number");
  const results = servers.map((server, place) => ({
    server,
    saturation: medianOf(rounds, place, "requestsPerSecond"),
    residentBytes: medianOf(rounds, place, "residentBytes"),
    generatorUse: medianOf(rounds, place, "generatorUse"),
    comparison: compare(rounds, 0, place),
  }));
  servers.forEach(({ peer }, place) => {
    console.log(formatMeasurements(peer.title, rounds, place));
  });
  if (pgbench === undefined) return { workload, servers: results, shareOfPgbench: undefined };
  console.log(`${"pgbench".padEnd(28)}${`${Math.round(spreadOf(transactions).median)} requests/s`.padStart(18)}`);
  const shares = transactions.map((each, round) => (rounds[round]?.[0]?.requestsPerSecond ?? Number.NaN) / each);
  return { workload, servers: results, shareOfPgbench: spreadOf(shares) };
}

/** Formats the absolute figures of one server over all rounds as a line of progress. */
function formatMeasurements(title: string, rounds: readonly (readonly Measurement[])[], place: number): string {
  const median = (figure: keyof Measurement) => medianOf(rounds, place, figure);
  return [
    title.padEnd(28),
    `${Math.round(median("requestsPerSecond"))} requests/s`.padStart(18),
    `p50 ${median("p50").toFixed(2)} ms`.padStart(14),
    `p99 ${median("p99").toFixed(2)} ms`.padStart(14),
    `server CPU ${median("cpuMicroseconds").toFixed(0)} µs`.padStart(20),
    `${Math.round(median("residentBytes") / 1e6)} MB`.padStart(9),
    `generator ${Math.round(median("generatorUse") * 100)} % busy`.padStart(22),
  ].join("");
}
