// A peer with connect-node and Kysely, built as their documentation recommends: a service passed to `connectNodeAdapter`, and one query per RPC with
// Kysely's own dialect and a connection pool. The long statement that creates a pool is SQL text.
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
import { ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import type { Schema } from "../../apps/server/dist/database/tables/schema.js";
import { findPoolRows, listPoolRows } from "./connect-queries.ts";
import { parseCreatePoolParameters } from "./create-pool-request.ts";
import type { PoolRow } from "./pool-statements.ts";
import {
  createPool,
  openConnectionPool,
  RejectedRequestError,
  type RunStatement,
  requirePool,
  requirePools,
  requireUuid,
} from "./pool-store.ts";

const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: openConnectionPool() }) });
const query: RunStatement = async (_, text, values) =>
  (await db.executeQuery(CompiledQuery.raw(text, values))).rows as never;

const handler = connectNodeAdapter({
  routes: (router) =>
    router.service(PoolService, {
      getPool: ({ accountId = "", poolId }) =>
        answer(async () => poolMessage(requirePool(await findPoolRows(db, accountId, requireUuid(poolId))))),
      listPools: ({ accountId = "" }) =>
        answer(async () => {
          const pools = requirePools(await listPoolRows(db, accountId)).map(poolMessage);
          return create(ListPoolsResponseSchema, { pools });
        }),
      createPool: (request) =>
        answer(async () => poolMessage(await createPool(query, parseCreatePoolParameters(request)))),
    }),
});

/** Runs a method, and converts a RejectedRequestError to a ConnectError. */
async function answer<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof RejectedRequestError ? new ConnectError(error.message, error.grpcCode) : error;
  }
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
