import { setTimeout as pause } from "node:timers/promises";
import { seedCalls } from "../calls/calls-seed.ts";
import { expectEqualValues } from "../expect-equal-values.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { connectToPostgres, findPostmaster, type PostgresServer } from "../postgres.ts";
import { readProcessTreeCpuSeconds, readResidentBytes } from "../process-figures.ts";

/** CPU time of the server and PostgreSQL for reading a whole list, and the server's maximum resident memory meanwhile. */
export interface ListFigures {
  readonly calls: number;
  readonly rounds: number;
  readonly callSeconds: number;
  readonly eventSeconds: number;
  readonly callMegabytes: number;
  readonly eventMegabytes: number;
}

/** Measures the CPU time and memory for reading two lists in pages of 1000: all calls of an account, and one event about each call. */
export async function measureListCosts(
  resources: AsyncDisposableStack,
  { url }: PostgresServer,
  calls: number,
  rounds: number,
): Promise<ListFigures> {
  // The server starts before the database is filled, because the server creates the schema.
  const server = await startPeer(resources, calltrackPeer, url);
  const client = await connectToPostgres(resources, url);
  await seedCalls(client, calls);
  await client.query(INSERT_EVENTS);
  await client.query("vacuum (analyze) events");
  await client.query("checkpoint");
  const postmaster = await findPostmaster(client);

  /** Reads a list to its end, page by page. */
  async function read(path: string, parameter: string, header: string): Promise<[seconds: number, megabytes: number]> {
    const cpuTime = () => readProcessTreeCpuSeconds(server.pid) + readProcessTreeCpuSeconds(postmaster);
    const before = cpuTime();
    let [count, bytes] = [0, 0];
    for (let next: string | null = ""; next !== null; ) {
      const place: string = next === "" ? "" : `&${parameter}=${encodeURIComponent(next)}`;
      const response = await fetch(`http://127.0.0.1:${server.port}${path}?page_size=1000${place}`);
      const page: unknown = await response.json();
      if (!Array.isArray(page)) throw new Error(`${path} has status ${response.status}: ${JSON.stringify(page)}`);
      count += page.length;
      bytes = Math.max(bytes, readResidentBytes(server.pid));
      next = page.length === 0 ? null : response.headers.get(header);
    }
    expectEqualValues(`the rows of ${path}`, [calls, count]);
    return [cpuTime() - before, bytes / 1e6];
  }

  // Events become readable after the server has polled the event log.
  await pause(3_000);
  const results = { calls: [] as [number, number][], events: [] as [number, number][] };
  for (let round = 0; round < rounds; round++) {
    results.calls.push(await read("/dni_manager/accounts/1/calls", "page_token", "x-next-page-token"));
    results.events.push(await read("/dni_manager/accounts/1/events", "cursor", "x-event-cursor"));
  }
  const middle = (figures: [number, number][]) =>
    figures.toSorted(([a], [b]) => a - b)[Math.floor(rounds / 2)] as [number, number];
  const [callSeconds, callMegabytes] = middle(results.calls);
  const [eventSeconds, eventMegabytes] = middle(results.events);
  return { calls, rounds, callSeconds, eventSeconds, callMegabytes, eventMegabytes };
}

const INSERT_EVENTS = `
  insert into events (account_id, type, resource_id) select account_id, 'call.ended', id from calls order by started_at`;
