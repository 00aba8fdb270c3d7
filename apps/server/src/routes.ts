import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { createAccountService } from "./accounts/account-service.js";
import type { Config } from "./config.js";
import { ServerReflection } from "./gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "./gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "./gen/health/v1/health_pb.js";
import { createDescriptorIndex } from "./grpc-services/descriptor-index.js";
import { createHealthService } from "./grpc-services/health-service.js";
import { createReflectionService } from "./grpc-services/reflection-service.js";
import { createInventoryService } from "./inventory/inventory-service.js";
import { createPhoneNumberService } from "./phone-numbers/phone-number-service.js";
import { createPoolService } from "./pools/pool-service.js";
import type { Executor } from "./storage/prepared-statement.js";

/** The services of the API. */
export const API = [AccountService, PhoneNumberService, PoolService, InventoryService];

/** The services of the API and those that gRPC tools expect. */
const ALL = [...API, Health, ServerReflection, ServerReflectionAlpha];

/** What services need to know of the configuration. */
export type ServiceConfig = Pick<Config, "unregisteredNumbers" | "poolRules" | "hasVirtualClock">;

/** Registers the one implementation of every service of the API, which all protocols reach. */
export function apiRoutes(db: Executor, config: ServiceConfig): (router: ConnectRouter) => void {
  return (router) => {
    router.service(AccountService, createAccountService(db));
    router.service(PhoneNumberService, createPhoneNumberService(db));
    router.service(PoolService, createPoolService(db, config.unregisteredNumbers));
    router.service(
      InventoryService,
      createInventoryService(db, () => {}),
    );
  };
}

/** Registers gRPC health and reflection, which have no JSON paths. */
export function grpcRoutes(isReady: () => Promise<boolean>, shutdown: AbortSignal): (router: ConnectRouter) => void {
  const names = ALL.map((service) => service.typeName);
  const index = createDescriptorIndex(ALL);
  const reflection = createReflectionService(index, names);
  return (router) => {
    router.service(Health, createHealthService(names, isReady, shutdown));
    router.service(ServerReflection, reflection);
    // The two versions have the same messages under different type names, which is all that their types differ in.
    router.service(ServerReflectionAlpha, reflection as unknown as ServiceImpl<typeof ServerReflectionAlpha>);
  };
}
