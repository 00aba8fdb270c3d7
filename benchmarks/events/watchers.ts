import { once } from "node:events";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NODE_FLAGS } from "../../apps/server/node-flags.js";
import { startChildProcess, waitForOutputLine } from "../child-process.ts";
import { computeSpread } from "../comparison.ts";
import { calltrackPeer } from "../peers/peers.ts";
import type { PostgresServer } from "../postgres.ts";

export const WATCHER_COUNT = 500;
const HTTP2_CONNECTIONS = 5;
const PATH = "/dni_manager/events:watch";

/** How long the streams are open before the memory is measured: longer than the 20 s between two bookmarks. */
const REST_MS = 25_000;

/** Memory for each open stream, in bytes. */
interface StreamMemory {
  /** Resident memory of the process, which varies by some KiB because of garbage and of memory that is free at the start. */
  readonly resident: number;
  /** Live JavaScript objects after a garbage collection. */
  readonly live: number;
}

/** The medians of the rounds for one version of HTTP. */
export interface WatcherFigures {
  readonly title: string;
  readonly rounds: number;
  readonly ours: StreamMemory;
  readonly bare: StreamMemory;
}

/** Measures the memory of streams that wait for events and, for comparison, of open responses of a minimal server. */
export async function measureWatchers(
  resources: AsyncDisposableStack,
  { url }: PostgresServer,
  rounds: number,
): Promise<WatcherFigures[]> {
  const figures: WatcherFigures[] = [];
  for (const isHttp2 of [false, true]) {
    const [ours, bare]: [StreamMemory[], StreamMemory[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await measureOne(resources, fileURLToPath(calltrackPeer.program), isHttp2, url));
      bare.push(await measureOne(resources, fileURLToPath(import.meta.resolve("./streaming-server.ts")), isHttp2, url));
    }
    const title = isHttp2
      ? `HTTP/2, ${HTTP2_CONNECTIONS} connections with ${WATCHER_COUNT / HTTP2_CONNECTIONS} streams each`
      : "HTTP/1.1";
    figures.push({ title, rounds, ours: middleOf(ours), bare: middleOf(bare) });
  }
  return figures;
}

/** Starts a server, opens the streams, and returns the growth of the server's memory per stream. */
async function measureOne(
  resources: AsyncDisposableStack,
  program: string,
  isHttp2: boolean,
  databaseUrl: string,
): Promise<StreamMemory> {
  await using own = new AsyncDisposableStack();
  resources.defer(() => own.disposeAsync());
  const monitor = fileURLToPath(import.meta.resolve("./memory-monitor.ts"));
  const child = startChildProcess(
    own,
    process.execPath,
    [...NODE_FLAGS, "--expose-gc", `--import=${monitor}`, program],
    {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: {
        ...{
          ...process.env,
          ...calltrackPeer.environment,
          DATABASE_URL: databaseUrl,
          PORT: "0",
          NODE_ENV: "production",
        },
        // The server limits the number of streams for each client address. With a trusted proxy, the streams can have different client addresses.
        ...{ TRUSTED_PROXIES: "127.0.0.1", HTTP2: isHttp2 ? "1" : "0" },
        // Suppresses a log line about each stream that ends with its connection.
        LOG_LEVEL: "error",
      },
    },
  );
  const [, port] = await waitForOutputLine(child, /^listening on http:\/\/127\.0\.0\.1:(\d+)$/);
  const memory = async () => {
    child.send("memory");
    return (await once(child, "message"))[0] as StreamMemory;
  };
  const openStreams = isHttp2 ? openHttp2 : openHttp1;
  // The warm-up loads and compiles the code, including the code for bookmarks, so that the memory of the code is not counted as memory of the streams.
  const warmUp = await openStreams(Number(port), WATCHER_COUNT / 10);
  await pause(REST_MS);
  warmUp();
  await pause(2_000);
  const before = await memory();
  const close = await openStreams(Number(port), WATCHER_COUNT);
  await pause(REST_MS);
  const after = await memory();
  close();
  return {
    resident: (after.resident - before.resident) / WATCHER_COUNT,
    live: (after.live - before.live) / WATCHER_COUNT,
  };
}

/** Opens streams, and waits for the first data of each stream. Returns a function that closes the streams. */
async function openHttp1(port: number, count: number): Promise<() => void> {
  const agent = new Agent({ keepAlive: true });
  const responses = Array.from({ length: count }, async (_, index) => {
    const sent = request({ agent, port, host: "127.0.0.1", path: PATH, headers: headersOf(index) });
    sent.end();
    const [response] = await once(sent, "response");
    if (response.statusCode !== 200) throw new Error(`a stream has status ${response.statusCode}`);
    response.on("error", () => {});
    await once(response, "data");
    response.resume();
  });
  await Promise.all(responses);
  return () => agent.destroy();
}

async function openHttp2(port: number, count: number): Promise<() => void> {
  const sessions = Array.from({ length: HTTP2_CONNECTIONS }, () => connectHttp2(`http://127.0.0.1:${port}`));
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const session = sessions[index % HTTP2_CONNECTIONS] as ClientHttp2Session;
      const stream = session.request({ ":path": PATH, ...headersOf(index) });
      stream.on("error", () => {});
      const [headers] = await once(stream, "response");
      if (headers[":status"] !== 200) throw new Error(`a stream has status ${headers[":status"]}`);
      await once(stream, "data");
      stream.resume();
    }),
  );
  return () => {
    for (const session of sessions) session.destroy();
  };
}

function headersOf(index: number): Record<string, string> {
  return { accept: "text/event-stream", "x-forwarded-for": `10.${index % 250}.0.1` };
}

function middleOf(rounds: readonly StreamMemory[]): StreamMemory {
  const medianOf = (figure: keyof StreamMemory) => computeSpread(rounds.map((round) => round[figure])).median;
  return { resident: medianOf("resident"), live: medianOf("live") };
}
