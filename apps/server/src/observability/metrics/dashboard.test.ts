import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createDataLocation } from "../../testing/data-location.js";
import { startServerProcess } from "../../testing/server-process.js";

const FOLDER = new URL("../../../../../deploy/grafana/", import.meta.url);

/** Returns the names of the metrics in PromQL expressions. */
function metricsIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:calltrack|nodejs|process)_\w+/g))];
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
  const dashboard = JSON.parse(await readFile(new URL("calltrack.json", FOLDER), "utf8"));
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets).map(({ expr }: { expr: string }) => expr);
  expect(expressions.length).toBeGreaterThan(20);
  const alerts = await readFile(new URL("calltrack-alerts.yml", FOLDER), "utf8");
  const used = metricsIn([...expressions, dashboard.templating.list[1].query, alerts].join("\n"));
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test("a server that runs no passes exports the number 0 of its passes, which the alert about overdue pools needs", async () => {
  const { environment } = await createDataLocation("postgres");
  await using server = await startServerProcess({ ...environment, OPS_PORT: "0", PASSES: "off" });
  const text = await (await fetch(`${await server.opsUrl()}/metrics`)).text();
  const passes = text.match(/^calltrack_passes_total\{.*$/gm);
  expect(passes).toEqual(
    ["managed", "frozen", "failed"].map((result) => `calltrack_passes_total{result="${result}"} 0`),
  );
});
