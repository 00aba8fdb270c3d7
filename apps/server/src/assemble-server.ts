import { type App, type AppDependencies, createApp } from "./app.js";
import type { Config } from "./config/config.js";
import { registerDeliveryBacklogMetrics } from "./deliveries/webhook-metrics.js";
import type { ServerMetrics } from "./observability/metrics/server-metrics.js";
import { registerPoolCapacityMetrics } from "./pool-management/capacity-metrics.js";
import type { NumberCarrier } from "./pool-management/number-carrier.js";
import { registerPassMetrics } from "./pool-management/pass-metrics.js";
import { createPassRunner, type PassRunner } from "./pool-management/pass-runner.js";
import { loadSecretBox } from "./secrets/load-secret-box.js";
import { registerRunningCallsMetric } from "./telephony/telephony-metrics.js";

interface ServerDependencies extends Pick<AppDependencies, "database" | "log" | "tracing" | "pages" | "shutdown"> {
  readonly metrics: ServerMetrics;
  /** Supplies the numbers for call trackers. */
  readonly carrier: NumberCarrier;
}

interface AssembledServer {
  readonly app: App;
  readonly runner: PassRunner;
}

/** Creates the app and the pass runner without starting them, and registers the metrics that are read from the database. */
export function assembleServer(config: Config, { carrier, ...parts }: ServerDependencies): AssembledServer {
  const { database, metrics, log } = parts;
  registerPoolCapacityMetrics(database.db, metrics.shared);
  registerRunningCallsMetric(database.db, metrics.shared);
  registerDeliveryBacklogMetrics(database.db, metrics.shared);
  const tools = { carrier, rules: config.poolRules };
  const runner = createPassRunner(database.db, tools, registerPassMetrics(metrics.own), log);
  const app = createApp(config, { ...parts, runner, secrets: loadSecretBox(config) });
  return { app, runner };
}
