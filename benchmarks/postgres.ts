import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "./child.ts";

/**
 * Starts an empty PostgreSQL server with its default settings, and so with its default durability; it ends with the
 * resources. Its files are in the system's folder for temporary files, and are deleted at the end.
 *
 * @param settings other than the defaults, as `name=value`.
 * @returns the URL of a database on it.
 */
export async function startPostgres(
  resources: AsyncDisposableStack,
  settings: readonly string[] = [],
): Promise<string> {
  return (await startNode(resources, settings)).url;
}

/** Starts a streaming standby of a server of this machine; the same holds for it. */
export async function startStandby(
  resources: AsyncDisposableStack,
  primaryUrl: string,
  settings: readonly string[] = [],
): Promise<string> {
  return (await startNode(resources, settings, primaryUrl)).url;
}

/** A PostgreSQL server that can be made to fail. */
export interface PostgresNode {
  readonly url: string;
  /** Ends it at once, as `pg_ctl stop -m immediate` does. */
  crash(): Promise<void>;
  /** Starts it again; it takes connections when this resolves. */
  start(): Promise<void>;
}

/** Like `startPostgres` or, with the URL of a primary, `startStandby`. */
export function startNode(
  resources: AsyncDisposableStack,
  settings: readonly string[],
  primaryUrl = "",
): Promise<PostgresNode> {
  return startKeeper(resources, { KEEPER_PRIMARY: primaryUrl, KEEPER_SETTINGS: settings.join(" ") });
}

async function startKeeper(resources: AsyncDisposableStack, environment: NodeJS.ProcessEnv): Promise<PostgresNode> {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./postgres-keeper.ts")), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...environment },
    // Ctrl-C reaches every process of a terminal at once. In a session of its own the database outlives its clients.
    detached: true,
  });
  const [url] = await Promise.race([once(child, "message"), failure(child)]);
  const tell = async (command: "crash" | "start") => {
    child.send(command);
    await Promise.race([once(child, "message"), failure(child)]);
  };
  return { url: url as string, crash: () => tell("crash"), start: () => tell("start") };
}

async function failure(child: ReturnType<typeof startChild>): Promise<never> {
  await once(child, "exit");
  throw new Error("PostgreSQL could not be started");
}
