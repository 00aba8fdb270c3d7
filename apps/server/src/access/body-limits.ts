import type { DescMethod } from "@bufbuild/protobuf";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { TrafficService } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type MethodImplSpec,
} from "@connectrpc/connect";
import { methodAccess } from "./method-access.js";

/** `MAX_BODY_SIZE` where nothing else is set. */
const DEFAULT_BYTES = 4 * 1024 * 1024;

/** What anyone may send without a key. Their largest valid message, with every character escaped, has less than 10 KB. */
const MAX_PUBLIC_BYTES = 16 * 1024;

/** The largest valid message of all others that are no batches has less than 25 KB. */
const MAX_BYTES = 64 * 1024;

/** The methods whose messages are batches, which may have as much as any body. */
const BATCHES: ReadonlySet<DescMethod> = new Set<DescMethod>([
  InventoryService.method.addTrackingNumbers,
  InventoryService.method.importTrackingNumbers,
  TrafficService.method.recordVisits,
  CallService.method.batchCreateCalls,
]);

/** The most bytes of a message of a method, as it comes and decompressed: at most `maxBodyBytes`, and less for all but batches. */
export function maxBodyBytesOf(method: DescMethod, maxBodyBytes: number = DEFAULT_BYTES): number {
  if (BATCHES.has(method)) return maxBodyBytes;
  return Math.min(maxBodyBytes, methodAccess(method) === "public" ? MAX_PUBLIC_BYTES : MAX_BYTES);
}

/** Registers each method with its own limit, which all protocols keep. */
export function withBodyLimits(
  routes: (router: ConnectRouter) => void,
  maxBodyBytes: number,
): (router: ConnectRouter) => void {
  return (router) => {
    const register = ({ method, impl }: MethodImplSpec) =>
      router.rpc(method, impl as never, { readMaxBytes: maxBodyBytesOf(method, maxBodyBytes) });
    const limited: ConnectRouter = {
      handlers: router.handlers,
      service(service, implementation) {
        for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) register(spec);
        return limited;
      },
      rpc(method, implementation) {
        register(createMethodImplSpec(method, implementation));
        return limited;
      },
    };
    routes(limited);
  };
}
