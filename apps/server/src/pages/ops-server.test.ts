import { once } from "node:events";
import { request } from "node:http";
import { expect, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";
import { isConnectionRefused, startServerProcess } from "../testing/server-process.js";

const { environment: database } = await createDataLocation("postgres");

async function statuses(url: string): Promise<Record<string, number>> {
  const paths = ["/metrics", "/healthz", "/readyz", "/call_tracking/accounts"];
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await fetch(url + path)).status])));
}

test("serves metrics only on the ops port without authentication, and health checks on both ports", async () => {
  const server = await startServerProcess({ ...database, OPS_PORT: "0", AUTH: "keys" });
  const ops = await server.opsUrl();
  expect(await statuses(ops)).toEqual({
    "/metrics": 200,
    "/healthz": 200,
    "/readyz": 200,
    "/call_tracking/accounts": 404,
  });
  expect(await (await fetch(`${ops}/call_tracking/accounts`)).json()).toMatchObject({
    error: { code: 404, status: "NOT_FOUND", details: [{ reason: "ROUTE_NOT_FOUND" }] },
  });
  expect(await statuses(server.url)).toEqual({
    "/metrics": 404,
    "/healthz": 200,
    "/readyz": 200,
    "/call_tracking/accounts": 401,
  });
  expect((await fetch(`${ops}/healthz`)).headers.get("x-content-type-options")).toBe("nosniff");
  const [refusal] = await once(request(ops, { headers: { expect: "more" } }).end(), "response");
  expect([refusal.statusCode, refusal.headers["x-content-type-options"]]).toEqual([417, "nosniff"]);
  expect(await server.stop()).toMatchObject({ exitCode: 0 });
  expect(await isConnectionRefused(Number(new URL(ops).port))).toBe(true);
});
