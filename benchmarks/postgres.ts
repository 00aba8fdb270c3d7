import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startChildProcess } from "./child-process.ts";
import { readParentPid } from "./process-figures.ts";

export interface PostgresServer {
  readonly url: string;
  /** Stops the server immediately, like `pg_ctl stop -m immediate`. */
  crash(): Promise<void>;
  /** Starts the server again. Resolves when it accepts connections. */
  start(): Promise<void>;
}

/**
 * Starts an empty PostgreSQL server with default settings, and thus default durability. Disposing of the stack `resources` stops the server and
 * deletes its files.
 *
 * @param settings additional settings, as `name=value`.
 * @param primaryUrl the URL of a server on this machine. If given, the new server becomes a streaming standby of that server.
 */
export async function startPostgres(
  resources: AsyncDisposableStack,
  settings: readonly string[] = [],
  primaryUrl = "",
): Promise<PostgresServer> {
  const child = startChildProcess(
    resources,
    process.execPath,
    [fileURLToPath(import.meta.resolve("./postgres-process.ts"))],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, KEEPER_PRIMARY: primaryUrl, KEEPER_SETTINGS: settings.join(" ") },
      // Ctrl-C signals all processes in the terminal's session at once. In a separate session, the database outlives its clients.
      detached: true,
    },
  );
  const failure = once(child, "exit").then(() => {
    throw new Error("PostgreSQL did not start");
  });
  // Prevents an unhandled rejection: nothing awaits `failure` when PostgreSQL stops at the end of the benchmark.
  failure.catch(() => {});
  const [url] = await Promise.race([once(child, "message"), failure]);
  const tell = async (command: "crash" | "start") => {
    child.send(command);
    await Promise.race([once(child, "message"), failure]);
  };
  return { url: url as string, crash: () => tell("crash"), start: () => tell("start") };
}

export async function connectToPostgres(resources: AsyncDisposableStack, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // Ignores the error that `pg` emits if the database stops before the connection closes.
  client.on("error", () => {});
  resources.defer(() => client.end());
  return client;
}

/** Returns the process id of the postmaster, the parent of the server's other processes. */
export async function findPostmaster(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select pg_backend_pid() as pid");
  return readParentPid(rows[0].pid);
}
