import type { DescMethod } from "@bufbuild/protobuf";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { ConnectRouter, ServiceImplSpec } from "@connectrpc/connect";
import { methodAccess } from "./method-access.js";

/**
 * Limit of methods that need no credentials. Their largest valid message is under 10 KB, with every character
 * escaped.
 */
const MAX_PUBLIC_BYTES = 16 * 1024;

/** Limit of all other methods except batches. Their largest valid message is under 25 KB. */
const MAX_BYTES = 64 * 1024;

/** Methods that accept batches. Only the limit of the whole server applies to them. */
const BATCH_METHODS: ReadonlySet<DescMethod> = new Set<DescMethod>([
  InventoryService.method.addTrackingNumbers,
  InventoryService.method.importTrackingNumbers,
  TrafficService.method.recordVisits,
  CallService.method.batchCreateCalls,
  PoolService.method.batchCreatePools,
]);

/**
 * Returns the maximum size of a method's request message in bytes, both compressed and decompressed.
 *
 * @param maxBodyBytes the limit of the whole server.
 */
export function maxBodyBytesOf(method: DescMethod, maxBodyBytes: number): number {
  if (BATCH_METHODS.has(method)) return maxBodyBytes;
  return Math.min(maxBodyBytes, methodAccess(method) === "public" ? MAX_PUBLIC_BYTES : MAX_BYTES);
}

/** Creates routes that register each method with its own size limit, for every protocol. */
export function createRoutes(services: readonly ServiceImplSpec[], maxBodyBytes: number) {
  return (router: ConnectRouter): void => {
    for (const { method, impl } of services.flatMap(({ methods }) => Object.values(methods))) {
      router.rpc(method, impl as never, { readMaxBytes: maxBodyBytesOf(method, maxBodyBytes) });
    }
  };
}
