import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { type Health, HealthCheckResponse_ServingStatus as Status } from "../../gen/health/v1/health_pb.js";

const WATCH_INTERVAL_MS = 1000;

/**
 * Creates the implementation of grpc.health.v1.Health. Each service, and the empty name for the whole server, has the same status: `SERVING` if the
 * readiness check passes, otherwise `NOT_SERVING`.
 *
 * @param shutdown aborted to end Watch RPCs, which would otherwise keep the server from stopping.
 */
export function createHealthService(
  services: readonly string[],
  isReady: () => Promise<boolean>,
  shutdown: AbortSignal,
): ServiceImpl<typeof Health> {
  const known = new Set(["", ...services]);
  const currentStatus = async () => (!shutdown.aborted && (await isReady()) ? Status.SERVING : Status.NOT_SERVING);
  return {
    async check({ service }) {
      if (!known.has(service))
        throw new ConnectError(
          `this server has no service ${service}: use the full name of a service, or an empty name for the whole server`,
          Code.NotFound,
        );
      return { status: await currentStatus() };
    },

    async list() {
      const status = await currentStatus();
      return { statuses: Object.fromEntries([...known].map((service) => [service, { status }])) };
    },

    async *watch({ service }, { signal }) {
      let last: Status | undefined;
      while (!signal.aborted) {
        const status = known.has(service) ? await currentStatus() : Status.SERVICE_UNKNOWN;
        if (status !== last) yield { status };
        last = status;
        if (shutdown.aborted) return;
        // The pause rejects early if the client cancels the Watch RPC or the server stops.
        await pause(WATCH_INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, shutdown]) }).catch(() => {});
      }
    },
  };
}
