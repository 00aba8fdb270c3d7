import { computeSpread, formatRatioSpread, type Spread } from "../comparison.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { formatMarkdownTable } from "../markdown-table.ts";
import { startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import { type MeasureForSeconds, type RoundPlan, runRounds } from "../rounds.ts";
import { measureExport, measurePassRunner, measureRequests } from "./scale-figures.ts";
import { SCALE_OPERATIONS } from "./scale-operation.ts";
import { resetScaleDatabase } from "./scale-seed.ts";
import { type ScaledServer, startScaledServer } from "./scaled-server.ts";

export const MIN_POOLS = 10_000;
export const MAX_POOLS = 10_000_000;

const FULL: RoundPlan = { rounds: 9, roundSeconds: 2, warmUpSeconds: 2 };
const QUICK: RoundPlan = { rounds: 3, roundSeconds: 1, warmUpSeconds: 1 };

/** Number of rounds for exports: fewer, because each export reads all pools of the largest account. */
const EXPORT_ROUNDS = 3;

/**
 * PostgreSQL's settings: shared buffers for a quarter of the memory, as PostgreSQL's manual recommends, and room for the write-ahead log of the
 * inserts. https://www.postgresql.org/docs/current/runtime-config-resource.html#GUC-SHARED-BUFFERS
 */
const SETTINGS = ["shared_buffers=4GB", "max_wal_size=16GB"];

interface Growth {
  readonly title: string;
  readonly sizes: readonly {
    readonly pools: number;
    /** The duration of the operation, in microseconds. */
    readonly time: Spread;
    /** The duration divided by the duration at the smallest size in the same round. */
    readonly ratio: Spread;
  }[];
}

/**
 * Measures single operations with 10 000 pools, ten times as many, and so on, up to the largest number of pools. Prints the results. A full run also
 * writes them to the results page.
 */
export async function runScaleBenchmark(
  resources: AsyncDisposableStack,
  { quick, largest }: { readonly quick: boolean; readonly largest: number },
): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const growths = await measureGrowth(resources, plan, largest);
  await publishResults("scale", formatPage(growths, plan), !quick && largest === MAX_POOLS);
}

async function measureGrowth(resources: AsyncDisposableStack, plan: RoundPlan, largest: number): Promise<Growth[]> {
  const { url: postgresUrl } = await startPostgres(resources, SETTINGS);
  const generateLoad = await startLoadGenerator(resources);
  const scaled: ScaledServer[] = [];
  for (let pools = MIN_POOLS; pools <= largest; pools *= 10) {
    scaled.push(await startScaledServer(resources, postgresUrl, pools));
  }
  const growths: Growth[] = [];
  const measure = async (title: string, contestants: readonly MeasureForSeconds<number>[], rounds = plan.rounds) => {
    const measured = await runRounds(contestants, { ...plan, rounds }, async () => {});
    growths.push(growthOf(title, scaled, measured));
  };
  for (const operation of SCALE_OPERATIONS) {
    const since = new Date();
    await measure(
      operation.title,
      scaled.map((each) => measureRequests(each, operation, generateLoad)),
    );
    for (const { client, seed } of scaled) await resetScaleDatabase(client, seed, since);
  }
  const exports = scaled.map(measureExport);
  await measure("export, per pool", exports, Math.min(plan.rounds, EXPORT_ROUNDS));
  const runners = await Promise.all(scaled.map((each) => measurePassRunner(resources, each)));
  await measure(
    "a pass over a due pool",
    runners.map(({ pass }) => pass),
  );
  for (const { client, seed } of scaled) await resetScaleDatabase(client, seed, new Date());
  await measure(
    "a search that finds no due pool",
    runners.map(({ look }) => look),
  );
  return growths;
}

function growthOf(title: string, scaled: readonly ScaledServer[], rounds: readonly (readonly number[])[]): Growth {
  const spread = (read: (round: readonly number[]) => number) => computeSpread(rounds.map(read));
  const sizes = scaled.map(({ pools }, place) => ({
    pools,
    time: spread((round) => round[place] ?? Number.NaN),
    ratio: spread((round) => (round[place] ?? Number.NaN) / (round[0] ?? Number.NaN)),
  }));
  const ratios = sizes.map(({ pools, time, ratio }) => `${pools}: ${micro(time)} µs ${ratio.median.toFixed(2)}×`);
  console.log(`${title}: ${ratios.join(", ")}`);
  return { title, sizes };
}

function formatPage(growths: readonly Growth[], { rounds, roundSeconds }: RoundPlan): string {
  return `# Results of the scale benchmark

The duration of an operation with ten, a hundred and a thousand times as many pools. The largest account owns a tenth of the pools; the other
accounts own about 90 pools each. Every twentieth pool has call trackers. Operations run one after
another on one connection, so this is latency, not throughput. Sizes alternate,
with ${rounds} rounds of ${roundSeconds} s (${Math.min(rounds, EXPORT_ROUNDS)} for exports). See [README](README.md#scale).

The table shows the median of the rounds in microseconds, and its ratio to the smallest size, with minimum and maximum in brackets.
PostgreSQL ran with ${SETTINGS.map((each) => `\`${each}\``).join(" and ")}.

${formatMarkdownTable(headOf(growths), growths.map(timeRow))}
`;
}

function headOf(growths: readonly Growth[]): string[] {
  const sizes = growths[0]?.sizes ?? [];
  return ["", ...sizes.map(({ pools }) => `${pools.toLocaleString("en")} pools`)];
}

function timeRow({ title, sizes }: Growth): string[] {
  return [
    title,
    ...sizes.map(({ time, ratio }, place) =>
      place === 0 ? micro(time) : `${micro(time)}, ${formatRatioSpread(ratio)}`,
    ),
  ];
}

/** Formats a median in microseconds, with one decimal if it is below 20. */
function micro({ median }: Spread): string {
  return median < 20 ? median.toFixed(1) : median.toFixed(0);
}
