import { join } from "node:path";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { listCallRoutes } from "../api/call-flows/call-route.js";
import type { CallCounter } from "../api/calls/call-metrics.js";
import { createCallRecorder } from "../api/calls/call-recorder.js";
import { createCallerHasher } from "../api/calls/caller-hasher.js";
import { listStoredPhoneSystems } from "../api/phone-systems/phone-system-repository.js";
import type { StoredPhoneSystem } from "../api/phone-systems/phone-system-row.js";
import { createClockReader } from "../clock/clock.js";
import type { Config } from "../config/config.js";
import { IN_MEMORY_DIRECTORY } from "../config/database-location.js";
import { TELEPHONY_FOLDER } from "../database/embedded/data-directory.js";
import type { DatabaseAccess } from "../database/open-database.js";
import type { SecretBox } from "../secrets/secret-box.js";
import { CallRouter } from "./answer/call-router.js";
import { CallWebhookService } from "./call-webhook-service.js";
import { Journal } from "./outage/journal.js";
import { RoutingCache } from "./outage/routing-cache.js";
import { PhoneSystemDirectory } from "./phone-system-directory.js";
import type { PhoneSystemReport } from "./report/phone-system-report.js";
import { ReportRecorder } from "./report/report-recorder.js";
import { registerTelephonyMetrics } from "./telephony-metrics.js";
import { createWebhookHandler } from "./webhook-handler.js";
import { createWebhookRouter } from "./webhook-router.js";

export interface TelephonyDependencies {
  readonly config: Config;
  readonly database: DatabaseAccess;
  readonly secrets: SecretBox | undefined;
  readonly countCall: CallCounter;
  readonly registry: Registry;
  readonly log: Logger;
}

/** The webhooks for phone systems, and their background work: refreshing the routing cache and recording the reports from the journal. */
export type Telephony = ReturnType<typeof createTelephony>;

export function createTelephony({ config, database, secrets, countCall, registry, log }: TelephonyDependencies) {
  const { db } = database;
  const { dataDirectory, publicUrl = "" } = config;
  const folder = dataDirectory === IN_MEMORY_DIRECTORY ? undefined : join(dataDirectory, TELEPHONY_FOLDER);
  const cache = new RoutingCache<StoredPhoneSystem>(folder, log);
  const journal = new Journal<PhoneSystemReport>(folder, log);
  const metrics = registerTelephonyMetrics(registry, journal);
  const keyOf = createCallerHasher(db);
  const keepsNumbers = config.callerNumbers === "keep";
  const callRecorder = createCallRecorder(database, keyOf, keepsNumbers);
  const recorder = new ReportRecorder({ db, recorder: callRecorder, keyOf, journal, countCall, metrics, log });
  const router = new CallRouter(db, cache, log);
  const webhooks = new CallWebhookService({ router, recorder, keyOf, keepsNumbers, metrics, log });
  const currentTime = createClockReader(db, config.hasVirtualClock);
  const handler = createWebhookHandler({
    ...{ webhooks, secrets, publicUrl, currentTime, log },
    retentionMs: config.callRetentionMs,
  });
  const directory = new PhoneSystemDirectory(db, cache);
  return {
    /** Finds the handler of a request by the target; undefined if the target is not a webhook. */
    findWebhook: createWebhookRouter({ config, directory, handler, metrics, log }),
    /** Loads the last known routes. Then, in the background, refreshes the routes and records the reports from the journal. */
    async start() {
      await cache.load();
      cache.start({
        listCallRoutes: (after, limit) => listCallRoutes(db, after, limit),
        listStoredPhoneSystems: () => listStoredPhoneSystems(db),
      });
      recorder.start();
    },
    closeOverdueCalls: () => recorder.closeOverdue(),
    async close() {
      await Promise.all([journal.close(), cache.close()]);
    },
  };
}
