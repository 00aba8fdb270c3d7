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
export function startPostgres(resources: AsyncDisposableStack, settings: readonly string[] = []): Promise<string> {
  return startKeeper(resources, { KEEPER_SETTINGS: settings.join(" ") });
}

/** Starts a streaming standby of a server of this machine; the same holds for it. */
export function startStandby(resources: AsyncDisposableStack, primaryUrl: string, settings: readonly string[] = []) {
  return startKeeper(resources, { KEEPER_PRIMARY: primaryUrl, KEEPER_SETTINGS: settings.join(" ") });
}

async function startKeeper(resources: AsyncDisposableStack, environment: NodeJS.ProcessEnv): Promise<string> {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./postgres-keeper.ts")), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...environment },
    // Ctrl-C reaches every process of a terminal at once. In a session of its own the database outlives its clients.
    detached: true,
  });
  const [url] = await Promise.race([once(child, "message"), failure(child)]);
  return url as string;
}

async function failure(child: ReturnType<typeof startChild>): Promise<never> {
  await once(child, "exit");
  throw new Error("PostgreSQL could not be started");
}
