// A peer with @grpc/grpc-js, hand-written and tuned as its documentation recommends, with messages from @grpc/proto-loader: enums as numbers, no
// defaults, a connection pool, named prepared statements, and one statement per RPC.
import { fileURLToPath } from "node:url";
import { type handleUnaryCall, loadPackageDefinition, Server, ServerCredentials } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import {
  type CreatePoolRequest,
  POOL_TYPE_AUTOMANAGED,
  POOL_TYPE_MANUAL,
  parseCreatePoolParameters,
} from "./create-pool-request.ts";
import { GET_POOL_STATEMENT, LIST_POOLS_STATEMENT, type PoolRow } from "./pool-statements.ts";
import {
  createPool,
  createPreparedStatementRunner,
  openConnectionPool,
  RejectedRequestError,
  requirePool,
  requirePools,
  requireUuid,
} from "./pool-store.ts";

const pool = openConnectionPool();
const query = createPreparedStatementRunner(pool);

async function getPool({ accountId, poolId }: { accountId?: string; poolId?: string }): Promise<object> {
  return poolMessage(requirePool(await query("get_pool", GET_POOL_STATEMENT, [accountId, requireUuid(poolId)])));
}

async function listPools({ accountId }: { accountId?: string }): Promise<object> {
  return { pools: requirePools(await query("list_pools", LIST_POOLS_STATEMENT, [accountId])).map(poolMessage) };
}

function poolMessage(row: PoolRow): object {
  return {
    id: row.id,
    originalNumberId: row.original_number_id,
    accountToken: row.account_token,
    areaCode: row.area_code,
    description: row.description,
    isDni: row.is_dni,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    poolType: row.pool_type === "manual" ? POOL_TYPE_MANUAL : POOL_TYPE_AUTOMANAGED,
    propertyToken: row.property_token,
    size: row.size,
    utilization: row.utilization,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    etag: `"${row.updated_at.getTime()}"`,
  };
}

function timestamp(date: Date): object {
  const milliseconds = date.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000 };
}

function unary<I>(implementation: (request: I) => Promise<object>): handleUnaryCall<I, object> {
  return ({ request }, callback) => {
    implementation(request).then(
      (response) => callback(null, response),
      (error: Error) =>
        callback(error instanceof RejectedRequestError ? { code: error.grpcCode, details: error.message } : error),
    );
  };
}

const ROOT = new URL("../../", import.meta.url);
const definition = loadSync("calltracking/v1/pool.proto", {
  includeDirs: ["proto", "node_modules/google-gax/build/protos"].map((dir) => fileURLToPath(new URL(dir, ROOT))),
  longs: Number,
  enums: Number,
});
// biome-ignore lint/suspicious/noExplicitAny: what is loaded at run time has no types
const { calltracking } = loadPackageDefinition(definition) as any;

const server = new Server();
server.addService(calltracking.v1.PoolService.service, {
  getPool: unary(getPool),
  listPools: unary(listPools),
  createPool: unary(async (request: CreatePoolRequest) =>
    poolMessage(await createPool(query, parseCreatePoolParameters(request))),
  ),
});
server.bindAsync(`127.0.0.1:${process.env.PORT}`, ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

process.on("SIGTERM", async () => {
  server.forceShutdown();
  await pool.end();
  process.exit(0);
});
