// The measured paths, hand-written on Express and tuned: no ETags, no Express header, bodies validated by Zod, a connection
// pool, named prepared statements, one statement per request.
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from "express";
import pg from "pg";
import { type PoolBody, poolBody } from "./pool-body.ts";
import { poolJson } from "./pool-json.ts";
import { CREATE_POOL, FIND_ACCOUNT, GET_POOL, LIST_POOLS, UUID } from "./pool-statements.ts";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
pool.on("error", (error) => console.error(error.message));

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.set("query parser", "simple");

const getPool: RequestHandler<{ account: string; pool: string }> = async ({ params }, res) => {
  if (!UUID.test(params.pool)) return refuse(res, 404, "pool not found");
  const { rows } = await pool.query({ name: "get_pool", text: GET_POOL, values: [params.account, params.pool] });
  if (rows.length === 0) return refuse(res, 404, "account not found");
  if (rows[0].id === null) return refuse(res, 404, "pool not found");
  res.json(poolJson(rows[0]));
};

const listPools: RequestHandler<{ account: string }> = async ({ params }, res) => {
  const { rows } = await pool.query({ name: "list_pools", text: LIST_POOLS, values: [params.account] });
  if (rows.length === 0) return refuse(res, 404, "account not found");
  res.json(rows[0].id === null ? [] : rows.map(poolJson));
};

const createPool: RequestHandler<{ account: string }> = async ({ params, body }, res) => {
  const parsed = poolBody.safeParse(body);
  if (!parsed.success) return refuse(res, 400, parsed.error.message);
  const values = createValues(params.account, parsed.data);
  const { rows } = await pool.query({ name: "create_pool", text: CREATE_POOL, values });
  if (rows.length === 0) return refuseToCreate(params.account, res);
  const [created] = rows;
  res
    .status(201)
    .location(`/dni_manager/accounts/${encodeURIComponent(created.account_token)}/pools/${created.id}`)
    .json(poolJson(created));
};

function createValues(account: string, body: PoolBody): unknown[] {
  const isManual = body.pool_type === "manual";
  return [
    account,
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
}

async function refuseToCreate(account: string, res: Response): Promise<void> {
  const { rows } = await pool.query({ name: "find_account", text: FIND_ACCOUNT, values: [account] });
  if (rows.length === 0) return refuse(res, 404, "account not found");
  refuse(res, 400, rows[0].is_active ? "original_number is not registered" : "account is disabled");
}

function refuse(res: Response, code: number, message: string): void {
  res.status(code).json({ error: { code, message } });
}

// Express recognises error handlers by their four parameters.
const answerError: ErrorRequestHandler = (error, _req, res, _next) => refuse(res, error.status ?? 500, error.message);

app.get("/dni_manager/accounts/:account/pools/:pool", getPool);
app.get("/dni_manager/accounts/:account/pools", listPools);
app.post("/dni_manager/accounts/:account/pools", express.json({ limit: "4mb" }), createPool);
app.use(answerError);

const server = app.listen(Number(process.env.PORT), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

process.on("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await pool.end();
  process.exit(0);
});
