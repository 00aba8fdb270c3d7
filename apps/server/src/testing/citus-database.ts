import { setTimeout as pause } from "node:timers/promises";
import { queryOnce } from "./pg-client.js";

/** The maximum number of attempts to add a worker. The pause grows after each failed attempt. */
const MAX_ATTEMPTS = 10;
const PAUSE_MS = 100;

interface ClusterNode {
  readonly host: string;
  readonly port: number;
}

/**
 * Creates an empty database on all servers of a Citus cluster, ready to be distributed.
 *
 * @param clusterUrl the URL of a database on the coordinator that has the extension and lists the workers. Its user must be allowed to
 *   create databases and extensions on all servers.
 * @returns the URL of the new database.
 */
export async function createCitusDatabase(clusterUrl: string, name: string): Promise<string> {
  const nodes = await findNodes(clusterUrl);
  await runOnEach(nodes, clusterUrl, `create database ${name}`);
  const url = Object.assign(new URL(clusterUrl), { pathname: `/${name}` }).href;
  await runOnEach(nodes, url, "create extension citus");
  const [coordinator, ...workers] = nodes as [ClusterNode, ...ClusterNode[]];
  await queryOnce(url, "select citus_set_coordinator_host($1, $2)", [coordinator.host, coordinator.port]);
  for (const worker of workers) await addNode(url, worker);
  return url;
}

/** Retries, because Citus may lose its connection to the worker while other databases are added to the cluster. */
async function addNode(url: string, { host, port }: ClusterNode): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await queryOnce(url, "select citus_add_node($1, $2)", [host, port]);
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !String(error).includes("marked as essential")) throw error;
      await pause(attempt * PAUSE_MS);
    }
  }
}

export async function dropCitusDatabase(url: string): Promise<void> {
  const nodes = await findNodes(url);
  const name = new URL(url).pathname.slice(1);
  const elsewhere = Object.assign(new URL(url), { pathname: "/postgres" }).href;
  await runOnEach(nodes, elsewhere, `drop database ${name} with (force)`);
}

/** Returns the servers of the cluster, the coordinator first. */
async function findNodes(url: string): Promise<ClusterNode[]> {
  const { hostname, port } = new URL(url);
  const workers = await queryOnce<ClusterNode>(
    url,
    "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by 1, 2",
  );
  return [{ host: hostname, port: Number(port) }, ...workers];
}

/** Runs a statement on each server in turn, with the user and database of the URL. */
async function runOnEach(nodes: readonly ClusterNode[], url: string, statement: string): Promise<void> {
  for (const { host, port } of nodes) {
    await queryOnce(Object.assign(new URL(url), { host: `${host}:${port}` }).href, statement);
  }
}
