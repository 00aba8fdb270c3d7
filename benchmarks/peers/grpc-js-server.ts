// The measured calls, hand-written on @grpc/grpc-js as its documentation advises, with messages by @grpc/proto-loader, and
// tuned: enums as numbers, no defaults, a connection pool, named prepared statements, one statement per call.
import { fileURLToPath } from "node:url";
import { type handleUnaryCall, loadPackageDefinition, Server, ServerCredentials, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import pg from "pg";
import { findInvalidField, MANUAL } from "./pool-request-check.ts";
import { CREATE_POOL, FIND_ACCOUNT, GET_POOL, LIST_POOLS, type PoolRow, UUID } from "./pool-statements.ts";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
pool.on("error", (error) => console.error(error.message));

interface CreatePoolRequest {
  accountId?: string;
  originalNumber?: string;
  areaCode?: string;
  description?: string;
  isDni?: boolean;
  isPrompted?: boolean;
  isRecorded?: boolean;
  poolType?: number;
  propertyToken?: string;
  size?: number;
  utilization?: number;
}

class Refusal extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

async function getPool({ accountId, poolId }: { accountId?: string; poolId?: string }): Promise<object> {
  if (!accountId) throw new Refusal(status.INVALID_ARGUMENT, "account_id");
  if (!poolId || !UUID.test(poolId)) throw new Refusal(status.NOT_FOUND, "pool not found");
  const { rows } = await pool.query({ name: "get_pool", text: GET_POOL, values: [accountId, poolId] });
  if (rows.length === 0) throw new Refusal(status.NOT_FOUND, "account not found");
  if (rows[0].id === null) throw new Refusal(status.NOT_FOUND, "pool not found");
  return poolMessage(rows[0]);
}

async function listPools({ accountId }: { accountId?: string }): Promise<object> {
  if (!accountId) throw new Refusal(status.INVALID_ARGUMENT, "account_id");
  const { rows } = await pool.query({ name: "list_pools", text: LIST_POOLS, values: [accountId] });
  if (rows.length === 0) throw new Refusal(status.NOT_FOUND, "account not found");
  return { pools: rows[0].id === null ? [] : rows.map(poolMessage) };
}

async function createPool(request: CreatePoolRequest): Promise<object> {
  if (!request.accountId) throw new Refusal(status.INVALID_ARGUMENT, "account_id");
  const badField = findInvalidField(request);
  if (badField !== undefined) throw new Refusal(status.INVALID_ARGUMENT, badField);
  const isManual = request.poolType === MANUAL;
  const values = [
    request.accountId,
    request.originalNumber,
    request.areaCode,
    request.description ?? null,
    request.isDni,
    request.isPrompted,
    request.isRecorded,
    isManual ? "manual" : "automanaged",
    request.propertyToken ?? null,
    request.size,
    isManual ? null : request.utilization,
  ];
  const { rows } = await pool.query({ name: "create_pool", text: CREATE_POOL, values });
  if (rows.length === 0) throw await whyNotCreated(request.accountId);
  return poolMessage(rows[0]);
}

async function whyNotCreated(account: string): Promise<Refusal> {
  const { rows } = await pool.query({ name: "find_account", text: FIND_ACCOUNT, values: [account] });
  if (rows.length === 0) return new Refusal(status.NOT_FOUND, "account not found");
  const message = rows[0].is_active ? "original_number is not registered" : "account is disabled";
  return new Refusal(status.FAILED_PRECONDITION, message);
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
    poolType: row.pool_type === "manual" ? 1 : 2,
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
      (error: Error) => callback(error instanceof Refusal ? { code: error.code, details: error.message } : error),
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
  createPool: unary(createPool),
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
