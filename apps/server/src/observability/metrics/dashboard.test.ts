import { readFile } from "node:fs/promises";
import { EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { expect, test } from "vitest";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { Health } from "../../gen/health/v1/health_pb.js";
import { createDataLocation } from "../../testing/data-location.js";
import { startServerProcess } from "../../testing/server-process.js";
import { startTestServer } from "../../testing/test-server.js";

const FOLDER = new URL("../../../../../deploy/grafana/", import.meta.url);

/** Returns the names of the metrics in PromQL expressions. */
function metricsIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:calltrack|nodejs|process)_\w+/g))];
}

/** Returns the PromQL expressions of the dashboard's panels, and the query for its list of servers. */
async function readDashboard(): Promise<{ expressions: string[]; instances: string }> {
  const { panels, templating } = JSON.parse(await readFile(new URL("calltrack.json", FOLDER), "utf8"));
  const expressions = panels.flatMap(({ targets = [] }) => targets).map(({ expr }: { expr: string }) => expr);
  return { expressions, instances: templating.list[1].query };
}

test("a server exports every metric that the dashboard and the alerts use", async () => {
  const { environment } = await createDataLocation("postgres");
  await using server = await startServerProcess({ ...environment, OPS_PORT: "0" });
  const text = await (await fetch(`${await server.opsUrl()}/metrics`)).text();
  const names = new Set(
    Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm)).flatMap(([, name, type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const { expressions, instances } = await readDashboard();
  expect(expressions.length).toBeGreaterThan(20);
  const alerts = await readFile(new URL("calltrack-alerts.yml", FOLDER), "utf8");
  const used = metricsIn([...expressions, instances, alerts].join("\n"));
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test("a server that runs no passes exports the number 0 of its passes, which the alert about overdue pools needs", async () => {
  const server = await startTestServer("postgres", { managesPools: false });
  const text = await (await fetch(`${server.opsUrl}/metrics`)).text();
  await server.stop();
  const passes = text.match(/^calltrack_passes_total\{.*$/gm);
  expect(passes).toEqual(
    ["managed", "frozen", "failed"].map((result) => `calltrack_passes_total{result="${result}"} 0`),
  );
});

test("latencies exclude streams, which clients keep open", async () => {
  const alerts = await readFile(new URL("calltrack-alerts.yml", FOLDER), "utf8");
  const { expressions } = await readDashboard();
  const latencies = [...expressions, ...alerts.split("\n")].filter((text) =>
    text.includes("calltrack_request_duration_seconds_bucket"),
  );
  const excluded = latencies.map((text) => new RegExp(`^(?:${/method!~"([^"]+)"/.exec(text)?.[1]})$`));
  expect(excluded.length).toBeGreaterThan(3);
  for (const pattern of excluded) {
    for (const { typeName, methods } of [EventService, Health, ServerReflection]) {
      for (const { name, methodKind } of methods) {
        expect(pattern.test(`${typeName}/${name}`), name).toBe(methodKind !== "unary");
      }
    }
  }
});
