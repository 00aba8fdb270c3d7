import pg from "pg";

/** A server of a Citus cluster. */
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
  await runEach(nodes, clusterUrl, async (client) => {
    await client.query(`create database ${name}`);
  });
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  await runEach(nodes, url.href, async (client) => {
    await client.query("create extension citus");
  });
  const [coordinator, ...workers] = nodes as [ClusterNode, ...ClusterNode[]];
  await run(url.href, async (client) => {
    await client.query("select citus_set_coordinator_host($1, $2)", [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query("select citus_add_node($1, $2)", [host, port]);
  });
  return url.href;
}

/** Drops a database on all servers of its cluster. */
export async function dropCitusDatabase(url: string): Promise<void> {
  const nodes = await findNodes(url);
  const name = new URL(url).pathname.slice(1);
  const elsewhere = new URL(url);
  elsewhere.pathname = "/postgres";
  await runEach(nodes, elsewhere.href, async (client) => {
    await client.query(`drop database ${name} with (force)`);
  });
}

/** Returns the servers of the cluster, the coordinator first. */
async function findNodes(url: string): Promise<ClusterNode[]> {
  const { hostname, port } = new URL(url);
  const { rows } = await run(url, (client) =>
    client.query<ClusterNode>(
      "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by 1, 2",
    ),
  );
  return [{ host: hostname, port: Number(port) }, ...rows];
}

/** Runs an action on each server in turn, with the user and database of the URL. */
async function runEach(
  nodes: readonly ClusterNode[],
  url: string,
  action: (client: pg.Client) => Promise<void>,
): Promise<void> {
  for (const { host, port } of nodes) {
    const there = new URL(url);
    there.host = `${host}:${port}`;
    await run(there.href, action);
  }
}

async function run<T>(url: string, action: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}
