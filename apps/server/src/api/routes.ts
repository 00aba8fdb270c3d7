import type { DescService } from "@bufbuild/protobuf";
import { API, numberLifetime, type ReportedVisit } from "@calltrack/domain";
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
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from "@connectrpc/connect";
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

/** Creates the services of the API. All protocols share these implementations. */
export function createApiServices(
  database: DatabaseAccess,
  accounts: AccountDirectory,
  config: Config,
  runner: PassRunner,
  countCall: CallObserver,
): ServiceImplSpec[] {
  const { db } = database;
  const currentTime = createClockReader(db, config.hasVirtualClock);
  const recordVisits = createVisitRecorder(database, config.poolRules);
  const record = async (visit: ReportedVisit) => reportVisit(db, accounts, recordVisits, visit, await currentTime());
  const lifetime = numberLifetime(config.hasVirtualClock ? undefined : config.poolRules.timelineMs);
  return [
    implement(AccountService, createAccountService(database, accounts, runner.wake)),
    implement(ApiKeyService, createApiKeyService(database, accounts)),
    implement(AuditService, createAuditService(database, accounts)),
    implement(PhoneNumberService, createPhoneNumberService(database, accounts)),
    implement(CallService, createCallService(database, accounts, config, currentTime, countCall)),
    implement(CallTrackerService, createCallTrackerService(database, accounts, config.poolRules)),
    implement(CallerService, createCallerService(database)),
    implement(ClockService, createClockService(db, config.hasVirtualClock, runner)),
    implement(DniService, createDniService(db, accounts, record, currentTime, lifetime)),
    implement(InventoryService, createInventoryService(database, runner)),
    implement(TrafficService, createTrafficService(accounts, recordVisits, currentTime)),
    implement(PoolService, createPoolService(database, accounts, config, runner)),
  ];
}

/** Creates gRPC health checking and reflection, which have no JSON paths. */
export function createGrpcServices(isReady: () => Promise<boolean>, shutdown: AbortSignal): ServiceImplSpec[] {
  const names = ALL.map((service) => service.typeName);
  const reflection = createReflectionService(ALL);
  return [
    implement(Health, createHealthService(names, isReady, shutdown)),
    implement(ServerReflection, reflection),
    // The two versions differ only in the type names of their messages.
    implement(ServerReflectionAlpha, reflection as unknown as ServiceImpl<typeof ServerReflectionAlpha>),
  ];
}

function implement<S extends DescService>(service: S, implementation: ServiceImpl<S>): ServiceImplSpec {
  return createServiceImplSpec<S>(service, implementation);
}
