import { pino } from "pino";
import type { Config } from "../config.js";
import { createServer } from "../server.js";
import { openDatabase } from "../storage/database.js";
import { migrateToLatest } from "../storage/migrate.js";
import { createTestDatabase, type Engine } from "./test-database.js";

/** A server in the process of the test, as `main.ts` makes it, on a database of its own. */
export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server; it is ready when this resolves. */
export async function startTestServer(
  engine: Engine,
  config: Partial<Pick<Config, "basePath" | "unregisteredNumbers">> = {},
): Promise<TestServer> {
  const database = openDatabase(await createTestDatabase(engine), () => {});
  await migrateToLatest(database.db);
  const shutdown = new AbortController();
  const settings = { basePath: "", unregisteredNumbers: "refuse", ...config } as const;
  const server = createServer(settings, database, pino({ level: "silent" }), shutdown.signal);
  const port = await server.listen(0, "127.0.0.1");
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async stop() {
      shutdown.abort();
      await server.close();
      await database.close();
    },
  };
}
