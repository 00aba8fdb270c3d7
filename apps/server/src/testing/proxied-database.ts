import { openTcpProxy } from "@calltrack/postgres/testing/tcp-proxy";
import { createDataLocation } from "./data-location.js";

/** Creates a PostgreSQL database with the schema, behind a TCP proxy. A server with the variables in `environment` connects through the proxy. */
export async function createProxiedDatabase() {
  const { environment } = await createDataLocation("postgres");
  const url = new URL(environment.DATABASE_URL ?? "");
  const direct = url.href;
  const proxy = await openTcpProxy(Number(url.port || 5432), url.hostname);
  url.host = proxy.host;
  return { url, direct, proxy, environment: { ...environment, DATABASE_URL: url.href } };
}
