import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config/config.js";
import { startTestServer } from "../testing/test-server.js";
import { createApiDocument } from "./api-document.js";

const run = promisify(execFile);

const require = createRequire(import.meta.url);

const TSC = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");

const GENERATOR = join(dirname(require.resolve("openapi-typescript/package.json")), "bin", "cli.js");

const ORVAL = fileURLToPath(import.meta.resolve("orval").replace("/index.mjs", "/bin/orval.mjs"));

const HEY_API = join(dirname(fileURLToPath(import.meta.resolve("@hey-api/openapi-ts"))), "..", "bin", "run.js");

const IMPORTS = ['import createClient from "openapi-fetch";', 'import type { components, paths } from "./api.js";'];

/** A program that uses the generated client for the whole workflow and prints the results. */
const PROGRAM = `
${IMPORTS.join("\n")}

declare const process: { readonly argv: readonly string[] };

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

function take<T>({ data, error }: { data?: T; error?: components["schemas"]["ErrorResponse"] }): T {
  if (error !== undefined) throw new Error(error.error.message);
  return data as T;
}

const account: components["schemas"]["Account"] = take(
  await client.POST("/call_tracking/accounts", { body: { account_token: "acme" } }),
);
const path = { account_id: account.account_token };
const number = take(
  await client.POST("/dni_manager/accounts/{account_id}/phone_numbers", {
    params: { path },
    body: { phone_number: "+12223334444", description: null },
  }),
);
const common = {
  original_number: number.phone_number,
  area_code: "222",
  is_dni: true,
  is_prompted: false,
  is_recorded: false,
  size: 10,
};
const manual = take(
  await client.POST("/dni_manager/accounts/{account_id}/pools", {
    params: { path },
    body: { ...common, pool_type: "manual" },
  }),
);
const automanaged = take(
  await client.POST("/dni_manager/accounts/{account_id}/pools", {
    params: { path, header: { "X-Server-Timeout": 5 } },
    body: { ...common, pool_type: "automated", property_token: "shop", utilization: 0.5 },
  }),
);
const updated = take(
  await client.PUT("/dni_manager/accounts/{account_id}/pools/{pool_id}", {
    params: { path: { ...path, pool_id: automanaged.id } },
    body: { size: 20 },
  }),
);
const page = await client.GET("/dni_manager/accounts/{account_id}/pools", {
  params: { path, query: { page_size: 1 } },
});
const token = page.response.headers.get("X-Next-Page-Token") ?? "";
const rest = take(
  await client.GET("/dni_manager/accounts/{account_id}/pools", { params: { path, query: { page_token: token } } }),
);
const key = { "Idempotency-Key": crypto.randomUUID() };
const [first, retry] = await Promise.all(
  [1, 2].map(() =>
    client.POST("/dni_manager/accounts/{account_id}/pools", {
      params: { path, header: key },
      body: { ...common, pool_type: "manual" },
    }),
  ),
);
const stream = await client.GET("/dni_manager/accounts/{account_id}/pools:export", {
  params: { path },
  headers: { Accept: "application/x-ndjson" },
  parseAs: "stream",
});
let text = "";
for await (const piece of stream.data ?? []) text += new TextDecoder().decode(piece);
const lines = text.trim().split("\\n").map((line): components["schemas"]["Pool"] => JSON.parse(line));
const exported = take(
  await client.GET("/dni_manager/accounts/{account_id}/pools:export", { params: { path } }),
);
// The export is a string only in the formats NDJSON and server-sent events.
if (typeof exported === "string") throw new Error(exported);
const disabled = await client.PUT("/call_tracking/accounts/{id}", {
  params: { path: { id: account.id } },
  body: { is_active: false },
});
const refused = await client.POST("/dni_manager/accounts/{account_id}/pools", {
  params: { path },
  body: { ...common, pool_type: "manual" },
});
const detail = refused.error?.error.details.find(
  (each): each is components["schemas"]["ErrorInfo"] => each["@type"] === "type.googleapis.com/google.rpc.ErrorInfo",
);
const utilization: number | null = manual.utilization;
const kind: "manual" | "automanaged" = automanaged.pool_type;

console.log(
  JSON.stringify({
    utilization,
    kind,
    size: updated.size,
    pages: [page.data?.length, rest.length],
    isRetried: first?.data?.id !== undefined && first.data.id === retry?.data?.id,
    streamed: lines.map((pool) => pool.size),
    exported: exported.map((each) => ("error" in each ? each.error.message : each.id)).length,
    disabled: disabled.response.status,
    refused: [refused.response.status, detail?.reason],
    accounts: take(await client.GET("/call_tracking/accounts")).map((each) => each.is_active),
  }),
);
`;

/** Statements that must not compile with the generated types. */
const MISTAKES = [
  'client.POST("/call_tracking/accounts", { body: {} });',
  'client.POST("/call_tracking/accounts", { body: { account_token: 1 } });',
  'client.PUT("/call_tracking/accounts/{id}", { params: { path: { id: "1" } }, body: { is_active: true } });',
  'client.PUT("/call_tracking/accounts/{id}", { params: { path: { id: 1 } }, body: { is_active: null } });',
  'client.DELETE("/call_tracking/accounts/{id}", { params: { path: { id: 1 } } });',
  'client.GET("/call_tracking/accounts", { params: { query: { color: "red" } } });',
];

/**
 * Code that must compile with the types from every generator. It uses null, enums with distinct names, and API errors beside the global type Error.
 */
const TYPE_USES = `
export function describe(call: Call, tracker: CallTracker, refused: ErrorResponse): string {
  if (call.tracker_status === null || call.tracker_status === "released") return new Error(refused.error.message).message;
  const status: CallTrackerStatus = tracker.status;
  const types: PoolType[] = ["manual", "automanaged"];
  const input: PoolTypeInput = "automated";
  return [call.tracker_status satisfies TrackerStatus, call.outcome satisfies CallOutcome, status, input, ...types].join();
}
`;

const TYPES =
  "Call, CallOutcome, CallTracker, CallTrackerStatus, ErrorResponse, PoolType, PoolTypeInput, TrackerStatus";

/** For each generator, a program that lists a page of pools and exports all pools. */
const OTHER_CLIENTS = {
  "hey-api": {
    generate: [HEY_API, "--input", "openapi.json", "--output", "api", "--silent"],
    program: `
import { client } from "./api/client.gen.js";
import { createAccount, exportPools, listPools } from "./api/index.js";
import type { ${TYPES} } from "./api/index.js";

client.setConfig({ baseUrl: "http://localhost:8080" });
const { data: account, error } = await createAccount({ body: { account_token: "acme" } });
if (error !== undefined) throw new Error(error.error.message);
const path = { account_id: account.account_token };
const { data: pools = [] } = await listPools({ path, query: { page_size: 1 } });
const { data: exported = [] } = await exportPools({ path });
console.log(pools.map((pool) => pool.id), exported.map((each) => ("error" in each ? each.error.message : each.size)));
`,
  },
  orval: {
    generate: [ORVAL, "--input", "openapi.json", "--output", "api.ts", "--client", "fetch"],
    program: `
import { createAccount, listPools } from "./api.js";
import type { ${TYPES} } from "./api.js";

const account = await createAccount({ account_token: "acme" });
if (account.status !== 201) throw new Error(account.data.error.message);
const pools = await listPools(account.data.account_token, { page_size: 1 });
if (pools.status === 200) console.log(pools.headers.get("X-Next-Page-Token"), pools.data.map((pool) => pool.id));
`,
  },
} as const;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    // The generated clients have no declaration files.
    skipLibCheck: true,
    target: "es2024",
    module: "nodenext",
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    lib: ["es2024", "dom", "dom.iterable"],
    types: [],
    outDir: "out",
    rootDir: ".",
  },
};

describe("a client generated by openapi-typescript", () => {
  const folder = createFolder();
  /** The lines with compiler errors, such as `mistakes.ts:4`. */
  let refused: readonly string[];

  beforeAll(async () => {
    await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
    const files = {
      "openapi.json": JSON.stringify(createApiDocument(readConfig({}))),
      "package.json": JSON.stringify({ type: "module" }),
      "tsconfig.json": JSON.stringify(TSCONFIG),
      "program.ts": PROGRAM,
      "mistakes.ts": [...IMPORTS, "const client = createClient<paths>();", ...MISTAKES].join("\n"),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await run(process.execPath, [GENERATOR, "openapi.json", "--output", "api.ts"], { cwd: folder });
    const output = await run(process.execPath, [TSC], { cwd: folder }).catch((error: { stdout: string }) => error);
    refused = [
      ...new Set(Array.from(output.stdout.matchAll(/(\w+\.ts)\((\d+),/g), ([, file, line]) => `${file}:${line}`)),
    ];
  });

  test("has types that accept the program and reject mistakes", () => {
    expect(refused).toEqual(MISTAKES.map((_, index) => `mistakes.ts:${index + IMPORTS.length + 2}`));
  });

  test("completes the whole workflow", async () => {
    const server = await startTestServer("postgres");
    onTestFinished(server.stop);
    const { stdout } = await run(process.execPath, [join(folder, "out", "program.js"), server.url]);
    expect(JSON.parse(stdout)).toEqual({
      utilization: null,
      kind: "automanaged",
      size: 20,
      pages: [1, 1],
      isRetried: true,
      streamed: [10, 20, 10],
      exported: 3,
      disabled: 204,
      refused: [400, "ACCOUNT_DISABLED"],
      accounts: [false],
    });
  });
});

describe.each(Object.entries(OTHER_CLIENTS))("a client generated by %s", (_name, { generate, program }) => {
  const folder = createFolder();

  test("compiles without an error, and so does a program that uses it", async () => {
    const { compilerOptions } = TSCONFIG;
    const options = {
      strict: true,
      skipLibCheck: true,
      module: "preserve",
      lib: compilerOptions.lib,
      types: [],
      noEmit: true,
    };
    const files = {
      "openapi.json": JSON.stringify(createApiDocument(readConfig({}))),
      "package.json": JSON.stringify({ type: "module" }),
      "tsconfig.json": JSON.stringify({ compilerOptions: { ...options, target: "es2024" } }),
      "program.ts": program + TYPE_USES,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await run(process.execPath, generate, { cwd: folder });
    await run(process.execPath, [TSC], { cwd: folder }).catch((error: { stdout: string }) => {
      throw new Error(error.stdout);
    });
  });
});
