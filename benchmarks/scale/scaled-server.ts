import type pg from "pg";
import { type RunningPeer, startPeer } from "../peers/peer.ts";
import { calltrackPeer } from "../peers/peers.ts";
import { connectToPostgres } from "../postgres.ts";
import { poolsPath } from "../workloads/json-workloads.ts";
import { type ScaleSeed, seedScaleDatabase } from "./scale-seed.ts";

export interface ScaledServer {
  readonly pools: number;
  readonly server: RunningPeer;
  readonly databaseUrl: string;
  readonly client: pg.Client;
  readonly seed: ScaleSeed;
  /** The token of the page that starts after nine tenths of the largest account's pools. */
  readonly deepToken: string;
}

/** Creates and fills a database, and starts a Calltrack server on this database. Disposing of the stack `resources` stops the server. */
export async function startScaledServer(
  resources: AsyncDisposableStack,
  postgresUrl: string,
  pools: number,
): Promise<ScaledServer> {
  const name = `pools_${pools}`;
  const admin = await connectToPostgres(resources, postgresUrl);
  await admin.query(`create database ${name}`);
  const databaseUrl = Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href;
  // The server starts before the database is filled, because the server creates the schema.
  const server = await startPeer(resources, calltrackPeer, databaseUrl);
  const client = await connectToPostgres(resources, databaseUrl);
  const begin = performance.now();
  const seed = await seedScaleDatabase(client, pools);
  const deepToken = await findDeepToken(server, seed);
  console.log(`${pools.toLocaleString("en")} pools inserted after ${Math.round((performance.now() - begin) / 1000)} s`);
  return { pools, server, databaseUrl, client, seed, deepToken };
}

async function findDeepToken({ port }: RunningPeer, seed: ScaleSeed): Promise<string> {
  let token = "";
  for (let passed = 0; passed < seed.largestAccountPools * 0.9; passed += 1000) {
    const pageSize = Math.min(1000, seed.largestAccountPools * 0.9 - passed);
    const query = `page_size=${pageSize}${token === "" ? "" : `&page_token=${encodeURIComponent(token)}`}`;
    const response = await fetch(`http://127.0.0.1:${port}${poolsPath(seed.largestAccount)}?${query}`);
    await response.arrayBuffer();
    token = response.headers.get("x-next-page-token") ?? "";
    if (token === "") throw new Error(`a page has no next page token and status ${response.status}`);
  }
  return token;
}
