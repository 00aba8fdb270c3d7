// A peer with Fastify, hand-written and tuned as its documentation recommends: validation and serialization by JSON schemas compiled at startup, a
// connection pool, named prepared statements, and one statement per request.
import Fastify from "fastify";
import { GET_POOL_STATEMENT, LIST_POOLS_STATEMENT } from "./pool-statements.ts";
import {
  createPool,
  createPreparedStatementRunner,
  openConnectionPool,
  requirePool,
  requirePools,
  requireUuid,
} from "./pool-store.ts";

const pool = openConnectionPool();
const query = createPreparedStatementRunner(pool);

const fastify = Fastify({
  bodyLimit: 4 * 1024 * 1024,
  // As strict as the API: no coercion, and unknown fields are rejected.
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
});

interface PoolBody {
  original_number: string;
  area_code: string;
  description?: string;
  is_dni: boolean;
  is_prompted: boolean;
  is_recorded: boolean;
  pool_type: "manual" | "automanaged" | "automated";
  property_token?: string;
  size: number;
  utilization?: number;
}

const token = { type: "string", minLength: 1, maxLength: 255, pattern: "^[^\\p{Z}\\p{C}]*$" };

const poolBodySchema = {
  type: "object",
  additionalProperties: false,
  required: ["original_number", "area_code", "is_dni", "is_prompted", "is_recorded", "pool_type", "size"],
  properties: {
    original_number: { type: "string", pattern: "^\\+[1-9][0-9]{6,14}$" },
    area_code: { type: "string", pattern: "^[0-9]{1,5}$" },
    description: { type: "string", maxLength: 1000 },
    is_dni: { type: "boolean" },
    is_prompted: { type: "boolean" },
    is_recorded: { type: "boolean" },
    pool_type: { enum: ["manual", "automanaged", "automated"] },
    property_token: token,
    size: { type: "integer", minimum: 1, maximum: 10_000 },
    utilization: { type: "number" },
  },
  if: { properties: { pool_type: { const: "manual" } } },
  else: {
    required: ["property_token", "utilization"],
    properties: { utilization: { type: "number", minimum: 0, maximum: 1 } },
  },
};

const poolSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    original_number_id: { type: "string" },
    account_token: { type: "string" },
    area_code: { type: "string" },
    description: { type: "string", nullable: true },
    is_dni: { type: "boolean" },
    is_prompted: { type: "boolean" },
    is_recorded: { type: "boolean" },
    pool_type: { type: "string" },
    property_token: { type: "string", nullable: true },
    size: { type: "integer" },
    utilization: { type: "number", nullable: true },
    created_at: { type: "string", format: "date-time" },
    updated_at: { type: "string", format: "date-time" },
  },
};

fastify.get<{ Params: { account: string; pool: string } }>(
  "/dni_manager/accounts/:account/pools/:pool",
  { schema: { response: { 200: poolSchema } } },
  async ({ params }) =>
    requirePool(await query("get_pool", GET_POOL_STATEMENT, [params.account, requireUuid(params.pool)])),
);

fastify.get<{ Params: { account: string } }>(
  "/dni_manager/accounts/:account/pools",
  { schema: { response: { 200: { type: "array", items: poolSchema } } } },
  async ({ params }) => requirePools(await query("list_pools", LIST_POOLS_STATEMENT, [params.account])),
);

fastify.post<{ Params: { account: string }; Body: PoolBody }>(
  "/dni_manager/accounts/:account/pools",
  { schema: { body: poolBodySchema, response: { 201: poolSchema } } },
  async ({ params, body }, reply) => {
    const isManual = body.pool_type === "manual";
    const values = [
      params.account,
      body.original_number,
      body.area_code,
      body.description ?? null,
      body.is_dni,
      body.is_prompted,
      body.is_recorded,
      isManual ? "manual" : "automanaged",
      body.property_token ?? null,
      body.size,
      isManual ? null : body.utilization,
    ];
    const created = await createPool(query, values);
    reply
      .code(201)
      .header("location", `/dni_manager/accounts/${encodeURIComponent(created.account_token)}/pools/${created.id}`);
    return created;
  },
);

process.on("SIGTERM", async () => {
  await fastify.close();
  await pool.end();
  process.exit(0);
});

const address = await fastify.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
process.stdout.write(`listening on ${address}\n`);
