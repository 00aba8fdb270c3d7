import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { PoolOwner } from "../database-seed.ts";
import { createPoolMessage } from "../workloads/grpc-workloads.ts";
import { createPoolRequest, getPoolRequest } from "../workloads/json-workloads.ts";
import type { LoadRequest } from "../workloads/workload.ts";

const TIMEOUT_MS = 10_000;

export class RequestFailedError extends Error {
  readonly reason: string;

  /** @param reason the error reason in the response; `connection` or `no answer` if there was no response. */
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The methods that the fault benchmark calls. Each method throws RequestFailedError if the request fails. */
export interface PoolClient {
  /**
   * Creates a pool. Returns the pool's id.
   *
   * @param key the idempotency key. All retries of a creation use the same key.
   */
  create(owner: PoolOwner, description: string, key: string): Promise<string>;
  get(owner: PoolOwner, id: string): Promise<string | undefined>;
}

export function createJsonPoolClient(port: number): PoolClient {
  const send = async ({ path, ...init }: LoadRequest, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...(init as RequestInit),
      headers: { ...headers, "content-type": "application/json", "x-server-timeout": `${TIMEOUT_MS / 1000}` },
      signal: AbortSignal.timeout(2 * TIMEOUT_MS),
    }).catch((error: Error) => {
      throw new RequestFailedError(error.name === "TimeoutError" ? "no answer" : "connection");
    });
    // biome-ignore lint/suspicious/noExplicitAny: what it has depends on the status
    const body: any = await response.json().catch(() => {
      throw new RequestFailedError("connection");
    });
    if (response.ok) return body;
    throw new RequestFailedError(body.error?.details?.[0]?.reason ?? `status ${response.status}`);
  };
  return {
    create: async (owner, description, key) =>
      (await send(createPoolRequest(owner, description), { "idempotency-key": key })).id,
    get: async ({ accountToken }, id) => (await send(getPoolRequest({ accountToken, id }))).description,
  };
}

export function createGrpcPoolClient(port: number): PoolClient {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}`, defaultTimeoutMs: TIMEOUT_MS });
  const client = createClient(PoolService, transport);
  return {
    async create({ accountToken, phoneNumber }, description, requestId) {
      const request = { ...createPoolMessage(accountToken, phoneNumber), description, requestId };
      return (await client.createPool(request).catch(failed)).id;
    },
    get: async ({ accountToken }, poolId) =>
      (await client.getPool({ accountId: accountToken, poolId }).catch(failed)).description,
  };
}

function failed(error: unknown): never {
  const failure = ConnectError.from(error);
  // Errors from the service have details. An error without details is a failure of the connection.
  const [info] = failure.findDetails(ErrorInfoSchema);
  throw new RequestFailedError(info?.reason ?? (failure.code === Code.DeadlineExceeded ? "no answer" : "connection"));
}
