import { API_SERVICES, computeNumberLifetime, type ReportedVisit } from "@calltrack/domain";
import { type ConnectRouter, createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AccessGuard } from "../access/access-guard.js";
import type { AccountDirectory } from "../access/account-directory.js";
import type { RequestViolationFinder } from "../access/rpc-options.js";
import { createClockReader } from "../clock/clock.js";
import type { Config } from "../config/config.js";
import type { DatabaseAccess } from "../database/open-database.js";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { createHealthService } from "../observability/grpc-services/health-service.js";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { createReflectionService } from "../observability/grpc-services/reflection-service.js";
import type { PassRunner } from "../pool-management/pass-runner.js";
import { ACCOUNT_METHODS } from "./accounts/account-methods.js";
import { createAccountService } from "./accounts/account-service.js";
import { API_KEY_METHODS } from "./api-keys/api-key-methods.js";
import { createApiKeyService } from "./api-keys/api-key-service.js";
import { AUDIT_METHODS } from "./audit/audit-methods.js";
import { createAuditService } from "./audit/audit-service.js";
import { CALL_FLOW_METHODS } from "./call-flows/call-flow-methods.js";
import { createCallFlowService } from "./call-flows/call-flow-service.js";
import { CALL_TRACKER_METHODS } from "./call-trackers/call-tracker-methods.js";
import { createCallTrackerService } from "./call-trackers/call-tracker-service.js";
import { CALLER_METHODS } from "./callers/caller-methods.js";
import { createCallerService } from "./callers/caller-service.js";
import { CALL_METHODS } from "./calls/call-methods.js";
import type { CallCounter } from "./calls/call-metrics.js";
import { createCallService } from "./calls/call-service.js";
import { CLOCK_METHODS } from "./clock/clock-methods.js";
import { createClockService } from "./clock/clock-service.js";
import { DNI_METHODS } from "./dni/dni-methods.js";
import { createDniService } from "./dni/dni-service.js";
import type { EventLog } from "./events/event-log.js";
import { EVENT_METHODS } from "./events/event-methods.js";
import { createEventService } from "./events/event-service.js";
import { INVENTORY_METHODS } from "./inventory/inventory-methods.js";
import { createInventoryService } from "./inventory/inventory-service.js";
import { computeMaxBodyBytes, METHOD_ROWS } from "./method-catalog.js";
import { createMethodRunner } from "./methods/implement-methods.js";
import { PHONE_NUMBER_METHODS } from "./phone-numbers/phone-number-methods.js";
import { createPhoneNumberService } from "./phone-numbers/phone-number-service.js";
import { PHONE_SYSTEM_METHODS } from "./phone-systems/phone-system-methods.js";
import { createPhoneSystemService, type PhoneSystemDependencies } from "./phone-systems/phone-system-service.js";
import { POOL_METHODS } from "./pools/pool-methods.js";
import { createPoolService } from "./pools/pool-service.js";
import { createSourceAliasDirectory } from "./traffic/source-alias-directory.js";
import { TRAFFIC_METHODS } from "./traffic/traffic-methods.js";
import { createTrafficService } from "./traffic/traffic-service.js";
import { createVisitRecorder, recordReportedVisit } from "./traffic/visit-recorder.js";
import { createWebhookUrlCheck } from "./webhook-endpoints/public-address.js";
import { WEBHOOK_ENDPOINT_METHODS } from "./webhook-endpoints/webhook-endpoint-methods.js";
import { createWebhookEndpointService } from "./webhook-endpoints/webhook-endpoint-service.js";

const ALL = [...API_SERVICES, ...INFRASTRUCTURE_SERVICES];

/** The services of the API, which all protocols share, and the check of requests that could be decoded only in part. */
export interface Api {
  readonly services: readonly ServiceImplSpec[];
  readonly findViolations: RequestViolationFinder;
  /**
   * Waits until the effects of counted visits are applied, which happens after the requests. Pools become due for a pass, and days that exceed a
   * visit limit are pruned.
   */
  readonly settleVisits: () => Promise<void>;
}

export function createApi(
  database: DatabaseAccess,
  accounts: AccountDirectory,
  guard: AccessGuard,
  config: Config,
  runner: PassRunner,
  countCall: CallCounter,
  phoneSystemParts: PhoneSystemDependencies,
  events: EventLog,
  log: Logger,
): Api {
  const { db } = database;
  const { callRetentionMs, hasVirtualClock, poolRules } = config;
  const currentTime = createClockReader(db, hasVirtualClock);
  const visits = createVisitRecorder(database, config, log);
  const aliases = createSourceAliasDirectory(db);
  const record = async (visit: ReportedVisit) =>
    recordReportedVisit(db, accounts, aliases, visits.record, visit, await currentTime());
  const lifetime = computeNumberLifetime(hasVirtualClock ? undefined : poolRules.gracePeriodMs);
  const findWebhookUrlProblem = createWebhookUrlCheck(config.allowsPrivateWebhooks);
  const context = { db, accounts, currentTime, callRetentionMs, findWebhookUrlProblem };
  const { implement, findViolations } = createMethodRunner(METHOD_ROWS, guard, context, events);
  return {
    services: [
      implement(ACCOUNT_METHODS, createAccountService(database, runner.wake)),
      implement(API_KEY_METHODS, createApiKeyService(database)),
      implement(AUDIT_METHODS, createAuditService(database)),
      implement(PHONE_NUMBER_METHODS, createPhoneNumberService(database)),
      implement(CALL_FLOW_METHODS, createCallFlowService(database, currentTime)),
      implement(CALL_METHODS, createCallService(database, config, currentTime, countCall)),
      implement(CALL_TRACKER_METHODS, createCallTrackerService(database, poolRules)),
      implement(CALLER_METHODS, createCallerService(database)),
      implement(CLOCK_METHODS, createClockService(db, hasVirtualClock, runner)),
      implement(DNI_METHODS, createDniService(db, accounts, aliases, record, lifetime)),
      implement(
        EVENT_METHODS,
        createEventService(database, phoneSystemParts, events, config.limits.bookmarkMs, guard.readmit),
      ),
      implement(INVENTORY_METHODS, createInventoryService(database, runner)),
      implement(PHONE_SYSTEM_METHODS, createPhoneSystemService(database, phoneSystemParts)),
      implement(TRAFFIC_METHODS, createTrafficService(db, aliases, visits.record)),
      implement(POOL_METHODS, createPoolService(database, config, runner)),
      implement(WEBHOOK_ENDPOINT_METHODS, createWebhookEndpointService(database, phoneSystemParts, events)),
    ],
    findViolations,
    settleVisits: visits.settle,
  };
}

/** Creates the gRPC services for health checking and reflection, which have no JSON paths. */
export function createGrpcServices(isReady: () => Promise<boolean>, shutdown: AbortSignal): ServiceImplSpec[] {
  const names = ALL.map((service) => service.typeName);
  const reflection = createReflectionService(ALL);
  return [
    createServiceImplSpec<typeof Health>(Health, createHealthService(names, isReady, shutdown)),
    createServiceImplSpec<typeof ServerReflection>(ServerReflection, reflection),
    // The two versions of reflection differ only in the type names of their messages.
    createServiceImplSpec<typeof ServerReflectionAlpha>(
      ServerReflectionAlpha,
      reflection as unknown as ServiceImpl<typeof ServerReflectionAlpha>,
    ),
  ];
}

/** Creates a function that registers each method on a router, for every protocol, with the method's own size limit. */
export function createRpcRoutes(services: readonly ServiceImplSpec[], maxBodyBytes: number) {
  return (router: ConnectRouter): void => {
    for (const { method, impl } of services.flatMap(({ methods }) => Object.values(methods))) {
      router.rpc(method, impl as never, { readMaxBytes: computeMaxBodyBytes(method, maxBodyBytes) });
    }
  };
}
