// The measured calls on connect-node and Kysely, as their documentation advises: a service passed to `connectNodeAdapter`, and
// queries on Kysely's own dialect, one per call, through a connection pool.
import { createServer } from "node:http2";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ListPoolsResponseSchema,
  type Pool,
  PoolSchema,
  PoolService,
  PoolType,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type Database, findPool, insertPool, isActiveAccount, listPools } from "./connect-queries.ts";
import { findInvalidField } from "./pool-request-check.ts";
import { type PoolRow, UUID } from "./pool-statements.ts";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
pool.on("error", (error) => console.error(error.message));
const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });

const handler = connectNodeAdapter({
  routes: (router) =>
    router.service(PoolService, {
      async getPool({ accountId, poolId = "" }) {
        if (!accountId) throw new ConnectError("account_id", Code.InvalidArgument);
        if (!UUID.test(poolId)) throw new ConnectError("pool not found", Code.NotFound);
        const row = await findPool(db, accountId, poolId);
        if (row === undefined) throw new ConnectError("account not found", Code.NotFound);
        if (row.id === null) throw new ConnectError("pool not found", Code.NotFound);
        return poolMessage(row as PoolRow);
      },

      async listPools({ accountId }) {
        if (!accountId) throw new ConnectError("account_id", Code.InvalidArgument);
        const rows = await listPools(db, accountId);
        if (rows.length === 0) throw new ConnectError("account not found", Code.NotFound);
        const found = rows.filter((row) => row.id !== null) as PoolRow[];
        return create(ListPoolsResponseSchema, { pools: found.map(poolMessage) });
      },

      async createPool({ accountId, ...request }) {
        if (!accountId) throw new ConnectError("account_id", Code.InvalidArgument);
        const badField = findInvalidField(request);
        if (badField !== undefined) throw new ConnectError(badField, Code.InvalidArgument);
        const isManual = request.poolType === PoolType.MANUAL;
        const row = await insertPool(db, accountId, request.originalNumber ?? "", {
          area_code: request.areaCode ?? "",
          description: request.description ?? null,
          is_dni: request.isDni ?? false,
          is_prompted: request.isPrompted ?? false,
          is_recorded: request.isRecorded ?? false,
          pool_type: isManual ? "manual" : "automanaged",
          property_token: request.propertyToken ?? null,
          size: request.size ?? 0,
          utilization: isManual ? null : (request.utilization ?? null),
        });
        if (row === undefined) throw await whyNotCreated(accountId);
        return poolMessage(row as PoolRow);
      },
    }),
});

async function whyNotCreated(account: string): Promise<ConnectError> {
  const isActive = await isActiveAccount(db, account);
  if (isActive === undefined) return new ConnectError("account not found", Code.NotFound);
  const message = isActive ? "original_number is not registered" : "account is disabled";
  return new ConnectError(message, Code.FailedPrecondition);
}

function poolMessage(row: PoolRow): Pool {
  return create(PoolSchema, {
    id: row.id,
    originalNumberId: row.original_number_id,
    accountToken: row.account_token,
    areaCode: row.area_code,
    isDni: row.is_dni,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    poolType: row.pool_type === "manual" ? PoolType.MANUAL : PoolType.AUTOMANAGED,
    size: row.size,
    createdAt: timestampFromDate(row.created_at),
    updatedAt: timestampFromDate(row.updated_at),
    etag: `"${row.updated_at.getTime()}"`,
    ...(row.description !== null && { description: row.description }),
    ...(row.property_token !== null && { propertyToken: row.property_token }),
    ...(row.utilization !== null && { utilization: row.utilization }),
  });
}

const server = createServer(handler);
server.listen(Number(process.env.PORT), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

process.on("SIGTERM", async () => {
  await db.destroy();
  process.exit(0);
});
