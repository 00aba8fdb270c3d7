import { setTimeout as pause } from "node:timers/promises";
import { seedCalls } from "../calls/calls-seed.ts";
import { expectSame } from "../expect-same.ts";
import { startPeer } from "../peers/peer.ts";
import { calltrack } from "../peers/peers.ts";
import { connect, type PostgresServer } from "../postgres.ts";
import { residentMemory } from "../process-figures.ts";
import { cpuTimeOfTree, parentOf } from "../process-tree.ts";

/** CPU time of the server and of PostgreSQL for a whole list, and the server's memory meanwhile. */
export interface ListFigures {
  readonly calls: number;
  readonly rounds: number;
  readonly callSeconds: number;
  readonly eventSeconds: number;
  readonly callMegabytes: number;
  readonly eventMegabytes: number;
}

/** Reads all calls of an account, and as many events of calls, in pages of 1000. */
export async function measureLists(
  resources: AsyncDisposableStack,
  { url }: PostgresServer,
  calls: number,
  rounds: number,
): Promise<ListFigures> {
  // The server creates the schema.
  const server = await startPeer(resources, calltrack, url);
  const client = await connect(resources, url);
  await seedCalls(client, calls);
  await client.query(INSERT_EVENTS);
  await client.query("vacuum (analyze) events");
  await client.query("checkpoint");
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const postmaster = parentOf(rows[0].pid);

  /** Reads pages until there are no more rows. */
  async function read(path: string, parameter: string, header: string): Promise<[seconds: number, megabytes: number]> {
    const cpuTime = () => cpuTimeOfTree(server.pid) + cpuTimeOfTree(postmaster);
    const before = cpuTime();
    let [count, bytes] = [0, 0];
    for (let next: string | null = ""; next !== null; ) {
      const place: string = next === "" ? "" : `&${parameter}=${encodeURIComponent(next)}`;
      const response = await fetch(`http://127.0.0.1:${server.port}${path}?page_size=1000${place}`);
      const page: unknown = await response.json();
      if (!Array.isArray(page)) throw new Error(`${path} has status ${response.status}: ${JSON.stringify(page)}`);
      count += page.length;
      bytes = Math.max(bytes, residentMemory(server.pid));
      next = page.length === 0 ? null : response.headers.get(header);
    }
    expectSame(`the rows of ${path}`, [calls, count]);
    return [cpuTime() - before, bytes / 1e6];
  }

  // An event becomes readable when the server has polled the log.
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
