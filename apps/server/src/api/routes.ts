import { API } from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { CallerService } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../access/account-directory.js";
import type { Config } from "../config/config.js";
import type { DatabaseAccess } from "../database/open-database.js";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "../gen/health/v1/health_pb.js";
import { createHealthService } from "../observability/grpc-services/health-service.js";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { createReflectionService } from "../observability/grpc-services/reflection-service.js";
import type { CallObserver } from "../observability/metrics/call-metrics.js";
import { createClockReader } from "../pool-management/clock.js";
import type { PassRunner } from "../pool-management/pass-runner.js";
import { createAccountService } from "./accounts/account-service.js";
import { createApiKeyService } from "./api-keys/api-key-service.js";
import { createAuditService } from "./audit/audit-service.js";
import { createCallTrackerService } from "./call-trackers/call-tracker-service.js";
import { createCallerService } from "./callers/caller-service.js";
import { createCallService } from "./calls/call-service.js";
import { createClockService } from "./clock/clock-service.js";
import { createDniService } from "./dni/dni-service.js";
import { createInventoryService } from "./inventory/inventory-service.js";
import { createPhoneNumberService } from "./phone-numbers/phone-number-service.js";
import { createPoolService } from "./pools/pool-service.js";
import { createTrafficService } from "./traffic/traffic-service.js";
import { createVisitRecorder, reportVisit } from "./traffic/visit-recorder.js";

const ALL = [...API, ...INFRASTRUCTURE_SERVICES];

/** Creates a function that registers the services of the API. All protocols share these implementations. */
export function createApiRoutes(
  database: DatabaseAccess,
  accounts: AccountDirectory,
  config: Config,
  runner: PassRunner,
  calls: CallObserver,
): (router: ConnectRouter) => void {
  const { db, reads } = database;
  const currentTime = createClockReader(db, config.hasVirtualClock);
  const recordVisits = createVisitRecorder(database, config.poolRules);
  return (router) => {
    router.service(AccountService, createAccountService(database, runner.wake));
    router.service(ApiKeyService, createApiKeyService(database, accounts));
    router.service(AuditService, createAuditService(database, accounts));
    router.service(PhoneNumberService, createPhoneNumberService(database, accounts));
    router.service(CallService, createCallService(database, accounts, config, currentTime, calls));
    router.service(CallTrackerService, createCallTrackerService(database, accounts, config.poolRules));
    router.service(CallerService, createCallerService(database));
    router.service(ClockService, createClockService(db, config.hasVirtualClock, runner));
    router.service(
      DniService,
      createDniService(reads, async (visit) => reportVisit(db, recordVisits, visit, await currentTime()), currentTime),
    );
    router.service(InventoryService, createInventoryService(database, runner));
    router.service(TrafficService, createTrafficService(accounts, recordVisits, currentTime));
    router.service(PoolService, createPoolService(database, accounts, config, runner));
  };
}

/** Creates a function that registers gRPC health checking and reflection, which have no JSON paths. */
export function createGrpcRoutes(
  isReady: () => Promise<boolean>,
  shutdown: AbortSignal,
): (router: ConnectRouter) => void {
  const names = ALL.map((service) => service.typeName);
  const reflection = createReflectionService(ALL);
  return (router) => {
    router.service(Health, createHealthService(names, isReady, shutdown));
    router.service(ServerReflection, reflection);
    // The two versions differ only in the type names of their messages.
    router.service(ServerReflectionAlpha, reflection as unknown as ServiceImpl<typeof ServerReflectionAlpha>);
  };
}
