import { openTcpProxy } from "@calltrack/postgres/testing/tcp-proxy";
import { createTestDatabase } from "./test-database.js";

/** Creates a PostgreSQL database with the schema whose server is behind a TCP proxy. */
export async function createProxiedDatabase() {
  const location = await createTestDatabase("postgres");
  const url = new URL(location.kind === "postgres" ? location.url : "");
  const direct = url.href;
  const proxy = await openTcpProxy(Number(url.port || 5432), url.hostname);
  url.host = `127.0.0.1:${proxy.port}`;
  return { url, direct, proxy };
}
