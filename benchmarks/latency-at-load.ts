import type { BenchmarkContext } from "./bench.ts";
import { compare, medianOf, type Spread } from "./comparison.ts";
import { type RoundPlan, runRounds } from "./rounds.ts";
import type { SaturationResults } from "./saturation.ts";
import { createLoadContestant } from "./server-under-load.ts";
import type { Workload } from "./workloads/workload.ts";

/** The offered loads, as fractions of the other server's maximum. */
const SHARES = [0.25, 0.5, 0.75];

/** The measured percentiles. */
export const PERCENTILES = ["p50", "p99", "p999"] as const;

/** Calltrack and one other server under the same loads. */
export interface LoadResults {
  readonly workload: Workload;
  readonly peer: string;
  readonly points: readonly LoadPoint[];
}

/** Both servers under one load. */
export interface LoadPoint {
  /** The load, as a fraction of the other server's maximum. */
  readonly share: number;
  /** Utilization of the load generator, 0 to 1. */
  readonly generatorUse: number;
  readonly latencies: Readonly<Record<(typeof PERCENTILES)[number], LatencyPair>>;
}

/** Latencies in milliseconds, and Calltrack's divided by the other's. */
export interface LatencyPair {
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: Spread;
}

/** Offers the same loads to Calltrack and to each other server in turn. */
export async function measureLatencyAtLoads(
  bench: BenchmarkContext,
  { workload, servers }: SaturationResults,
  plan: RoundPlan,
): Promise<LoadResults[]> {
  if (!workload.hasFixedLoads) return [];
  const [ours, ...others] = servers;
  if (ours === undefined) return [];
  const requests = workload.requests(bench.seed);
  const results: LoadResults[] = [];
  for (const { server, saturation } of others) {
    const points: LoadPoint[] = [];
    for (const share of SHARES) {
      const contestants = [ours.server, server].map((each) =>
        createLoadContestant(each, workload, requests, bench.generateLoad, saturation * share),
      );
      const rounds = await runRounds(contestants, plan, () => bench.reset(workload));
      const ratios = compare(rounds, 0, 1);
      const pair = (figure: (typeof PERCENTILES)[number]): LatencyPair => ({
        ours: medianOf(rounds, 0, figure),
        theirs: medianOf(rounds, 1, figure),
        ratio: ratios[figure],
      });
      const latencies = { p50: pair("p50"), p99: pair("p99"), p999: pair("p999") };
      const generatorUse = Math.max(medianOf(rounds, 0, "generatorUse"), medianOf(rounds, 1, "generatorUse"));
      const point = { share, generatorUse, latencies };
      console.log(formatPoint(workload.title, server.peer.title, saturation, point));
      points.push(point);
    }
    results.push({ workload, peer: server.peer.title, points });
  }
  return results;
}

/** Formats a line of progress. */
function formatPoint(workload: string, peer: string, saturation: number, point: LoadPoint): string {
  const pairs = PERCENTILES.map((name) => {
    const { ours, theirs } = point.latencies[name];
    return `${name} ${ours.toFixed(2)} : ${theirs.toFixed(2)} ms`.padStart(26);
  });
  const load = `${Math.round(saturation * point.share)} requests/s`.padStart(18);
  const generator = `generator ${Math.round(point.generatorUse * 100)} % busy`.padStart(22);
  return `${workload.padEnd(20)} ${peer.padEnd(28)}${load}${pairs.join("")}${generator}`;
}
