import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anyTimestamp, anyUuid } from "../testing/any-value.js";
import { runCli } from "../testing/cli.js";
import { createFolder } from "../testing/create-folder.js";
import { runCommand } from "../testing/run-command.js";
import { addPool, createAccount, createPool } from "../testing/sample-pool.js";
import { startSharedServer } from "../testing/shared-server.js";

const server = await startSharedServer();
const { run, json, refusal } = server;
const folder = createFolder();

test("whoami omits absent fields in a table if the server requires no authentication", async () => {
  expect((await run("whoami")).stdout).toBe(
    "credential  none, because the server requires no authentication\nscopes      admin\n",
  );
  expect(await json("whoami")).toMatchObject({ credential: "none", id: null, expires_at: null });
  expect((await run("whoami", "--columns", "id,credential")).stdout).toBe("id          -\ncredential  none\n");
});

const UNRECORDED =
  "warning: calls are not recorded: the prompt must announce the recording, but is_prompted of the pool is false. " +
  "Create a pool with is_prompted to record its calls\n";

describe("accounts", () => {
  test("create, get, list, disable and enable", async () => {
    const created = await json("accounts", "create", "acme");
    const shape = { account_token: "acme", created_at: anyTimestamp, updated_at: anyTimestamp };
    expect(created).toStrictEqual({ id: expect.any(Number), is_active: true, ...shape });
    const id = String(created.id);
    expect(await json("accounts", "get", id)).toStrictEqual(created);
    expect(await json("accounts", "list")).toContainEqual(created);
    expect(await json("accounts", "disable", id)).toMatchObject({ id: created.id, is_active: false });
    expect(await json("accounts", "get", id)).toMatchObject({ is_active: false });
    expect(await json("accounts", "enable", id)).toMatchObject({ id: created.id, is_active: true });
  });

  test("accepts tokens in place of ids", async () => {
    const created = await json("accounts", "create", "by-token");
    expect(await json("accounts", "get", "by-token")).toStrictEqual(created);
    expect(await json("accounts", "disable", "by-token")).toMatchObject({ id: created.id, is_active: false });
    expect(await json("accounts", "enable", "by-token")).toMatchObject({ id: created.id, is_active: true });
    expect(await refusal("accounts", "get", "nobody")).toBe(
      'error: account "nobody" not found: check the token or id, or create the account first\n',
    );
  });

  test("finds an account whose token looks like an id, and one by its id", async () => {
    const token = "2000000007";
    const created = await json("accounts", "create", token);
    expect(await json("accounts", "get", token)).toStrictEqual(created);
    expect(await json("accounts", "disable", token)).toMatchObject({ id: created.id, is_active: false });
    expect(await json("accounts", "get", String(created.id))).toMatchObject({ account_token: token });
    const unknown = 'error: account "2000000008" not found: check the token or id, or create the account first\n';
    expect(await refusal("accounts", "get", "2000000008")).toBe(unknown);
  });

  test("lists accounts by the beginning of their tokens and by their state", async () => {
    const tokens = ["Search-b", "search-a", "search-c"];
    for (const token of tokens) await json("accounts", "create", token);
    await json("accounts", "disable", "Search-b");
    const listed = async (...options: string[]) =>
      (await json("accounts", "list", "--prefix", "SEARCH-", ...options)).map((account) => account.account_token);
    expect(await listed()).toEqual(["search-a", "Search-b", "search-c"]);
    expect(await listed("--state", "disabled")).toEqual(["Search-b"]);
    expect(await listed("--state", "enabled", "--limit", "1")).toEqual(["search-a"]);
    expect((await run("accounts", "list", "--state", "frozen")).exitCode).toBe(2);
  });

  test("sorts a token named null like any other token", async () => {
    for (const token of ["nullify", "null"]) await json("accounts", "create", token);
    const sorted = await json("accounts", "list", "--prefix", "null", "--sort", "account_token");
    expect(sorted.map((account) => account.account_token)).toEqual(["null", "nullify"]);
  });

  test("limits a list", async () => {
    for (const token of ["one", "two", "three"]) await json("accounts", "create", token);
    const all = await json("accounts", "list");
    expect(all.length).toBeGreaterThan(2);
    expect(await json("accounts", "list", "--limit", "2")).toStrictEqual(all.slice(0, 2));
  });
});

describe("numbers", () => {
  test("add, get and list", async () => {
    await json("accounts", "create", "numbers");
    const options = ["--description", "Front desk", "--property", "www"];
    const added = await json("numbers", "add", "numbers", "+12223334444", ...options);
    expect(added).toStrictEqual({
      id: anyUuid,
      account_token: "numbers",
      phone_number: "+12223334444",
      description: "Front desk",
      property_token: "www",
      created_at: anyTimestamp,
      updated_at: anyTimestamp,
    });
    const plain = await json("numbers", "add", "numbers", "+12223335555");
    expect(plain).toMatchObject({ description: null, property_token: null });
    expect(await json("numbers", "get", "numbers", String(added.id))).toStrictEqual(added);
    expect(await json("numbers", "list", "numbers")).toStrictEqual([added, plain]);
    expect(await json("numbers", "list", "numbers", "--limit", "1")).toStrictEqual([added]);
  });
});

describe("pools", () => {
  test("create, get, list and update", async () => {
    await createAccount(server, "pools");
    const [number] = await json("numbers", "list", "pools");
    const flags = [
      "--area-code",
      "0415",
      "--size",
      "10",
      "--type",
      "manual",
      "--dni",
      "--no-prompted",
      "--no-recorded",
    ];
    const created = await json("pools", "create", "pools", "--number", "+12223334444", ...flags);
    expect(created).toStrictEqual({
      ...{ id: anyUuid, original_number_id: number?.id, account_token: "pools", area_code: "0415", description: null },
      ...{ is_dni: true, is_prompted: false, is_recorded: false, pool_type: "manual", property_token: null },
      ...{ size: 10, utilization: null, created_at: anyTimestamp, updated_at: anyTimestamp },
    });
    const id = String(created.id);
    expect(await json("pools", "get", "pools", id)).toStrictEqual(created);
    const changes = ["--area-code", "628", "--size", "20"];
    const updated = await json("pools", "update", "pools", id, ...changes);
    expect(updated).toStrictEqual({ ...created, area_code: "628", size: 20, updated_at: anyTimestamp });
    expect(await json("pools", "update", "pools", id)).toStrictEqual(updated);
    expect(await json("pools", "list", "pools")).toStrictEqual([updated]);
  });

  test("warns about a pool whose calls are not recorded when it is created or updated", async () => {
    await createAccount(server, "unrecorded");
    const common = ["pools", "create", "unrecorded", "--number", "+12223334444", "--area-code", "415", "--size", "1"];
    const create = (...flags: string[]) => run(...common, "--type", "manual", "--dni", ...flags);
    const warned = { exitCode: 0, stderr: UNRECORDED };
    const created = await create("--no-prompted", "--recorded", "-o", "json");
    expect(created).toMatchObject(warned);
    const { id } = JSON.parse(created.stdout);
    expect(await run("pools", "update", "unrecorded", id, "--size", "2")).toMatchObject(warned);
    expect(await create("--prompted", "--recorded")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await create("--no-prompted", "--no-recorded")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await create("--no-prompted", "--recorded", "--size", "0")).toMatchObject({
      exitCode: 1,
      stderr: expect.not.stringContaining("warning"),
    });
  });

  test("--if-match makes an update conditional", async () => {
    const id = await createPool(server, "etags");
    const { stdout } = await run("pools", "get", "etags", id, "--etag");
    expect(stdout).toMatch(/^"[^"]+"\n$/);
    const etag = stdout.trim();
    // Omits the quotes, as the shell does for an unquoted argument.
    const change = ["pools", "update", "etags", id, "--if-match", etag.replaceAll('"', ""), "--size"];
    expect(await json(...change, "11")).toMatchObject({ size: 11 });
    expect(await refusal(...change, "12")).toContain("etag");
    expect(await json("pools", "get", "etags", id)).toMatchObject({ size: 11 });
  });

  test("creates an automanaged pool by either name of the type", async () => {
    await createAccount(server, "automanaged");
    const flags = ["--area-code", "415", "--size", "1", "--no-dni", "--prompted", "--no-recorded"];
    const common = ["pools", "create", "automanaged", "--number", "+12223334444", ...flags, "--property", "www"];
    for (const type of ["automated", "automanaged"]) {
      const pool = await json(...common, "--type", type, "--utilization", "0.5", "--description", "");
      const fields = { pool_type: "automanaged", property_token: "www", utilization: 0.5, description: "" };
      expect(pool).toMatchObject({ ...fields, is_dni: false, is_prompted: true, is_recorded: false });
    }
  });

  test("does not send omitted flags as false, so that the service reports them as missing", async () => {
    await createAccount(server, "flags");
    const some = ["--number", "+12223334444", "--area-code", "415", "--size", "1", "--type", "manual"];
    const stderr = await refusal("pools", "create", "flags", ...some, "--dni");
    expect(stderr).toContain("\n  is_prompted: is required\n  is_recorded: is required\n");
    expect(stderr).not.toContain("is_dni");
  });
});

describe("pools export", () => {
  test("writes the same pools as the list, by default as ndjson", async () => {
    await createAccount(server, "exporter");
    for (let count = 0; count < 3; count++) await addPool(server, "exporter");
    const listed = await json("pools", "list", "exporter");
    const { exitCode, stdout, stderr } = await run("pools", "export", "exporter");
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toStrictEqual(listed);
    expect(await json("pools", "export", "exporter")).toStrictEqual(listed);
  });

  test("rejects an unknown account", async () => {
    expect(await refusal("pools", "export", "nobody")).toContain('account "nobody" not found');
  });
});

describe("all protocols have the same output", () => {
  test.each(["grpc", "connect", "grpc-web"])("over %s", async (protocol) => {
    // Runs the built program, because the bundle contains its own copies of the protocol libraries.
    const over = (...args: string[]) => runCli([...args, "--protocol", protocol], { server: server.url });
    const { stdout } = await over("accounts", "create", `by-${protocol}`, "--output", "json");
    expect(JSON.parse(stdout)).toMatchObject({ account_token: `by-${protocol}` });
    expect(await over("accounts", "get", `by-${protocol}`, "--output", "json")).toMatchObject({ stdout, stderr: "" });
    const refused = await over("accounts", "create", "");
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toBe("error: account_token must not be empty\n  account_token: must not be empty\n");
  });
});

describe("an error has the same text as over JSON", () => {
  test("with all field violations", async () => {
    await json("accounts", "create", "refusals");
    const body = { original_number: "+12223334444", area_code: "x", size: 0, pool_type: "automanaged" };
    const flags = { is_dni: true, is_prompted: false, is_recorded: true };
    const data = JSON.stringify({ ...body, ...flags });
    const { stdout } = await run("api", "POST", "/dni_manager/accounts/refusals/pools", "--data", data);
    const error: { message: string; details: { field_violations?: unknown }[] } = JSON.parse(stdout).error;
    const fields = ["--area-code", "x", "--size", "0", "--type", "automanaged", "--dni", "--no-prompted", "--recorded"];
    const stderr = await refusal("pools", "create", "refusals", "--number", "+12223334444", ...fields);
    const violations = error.details.flatMap(({ field_violations: some }) => (some ?? []) as Record<string, string>[]);
    expect(violations.map(({ field }) => field)).toStrictEqual(["area_code", "property_token", "size", "utilization"]);
    const lines = violations.map(({ field, description }) => `  ${field}: ${description}\n`).join("");
    expect(stderr).toBe(`error: ${error.message}\n${lines}`);
  });

  test("with the error's metadata", async () => {
    const { id } = await json("accounts", "create", "twice");
    expect(await refusal("accounts", "create", "twice")).toMatch(new RegExp(`^error: .*\n  account_id: ${id}\n$`));
  });
});

describe("output", () => {
  test("all formats have the same content, and the default is a table", async () => {
    await json("accounts", "create", "formats");
    for (const number of ["+12223330001", "+12223330002"]) await json("numbers", "add", "formats", number);
    const list = ["numbers", "list", "formats"];
    const rows = await json(...list);
    const columns = Object.keys(rows[0] ?? {});
    const [table, csv, ndjson] = [
      await run(...list),
      await run(...list, "-o", "csv"),
      await run(...list, "--output=ndjson"),
    ];
    expect(ndjson.stdout).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const cells = rows.map((row) => columns.map((column) => row[column] ?? "").join(","));
    expect(csv.stdout).toBe([columns.join(","), ...cells, ""].join("\n"));
    const [heading, ...lines] = table.stdout.trimEnd().split("\n");
    expect(heading?.split(/ +/)).toStrictEqual(columns);
    expect(lines.map((line) => line.split(/ +/)[2])).toStrictEqual(["+12223330001", "+12223330002"]);
  });

  test("escapes terminal control sequences", async () => {
    await json("accounts", "create", "escapes");
    await json("numbers", "add", "escapes", "+12223330001", "--description", "\u001b[31mred\n");
    expect((await run("numbers", "list", "escapes")).stdout).toContain("\\u001b[31mred\\n");
  });

  test("--verbose logs each request to stderr", async () => {
    const { stdout, stderr } = await run("accounts", "get", "1", "-o", "json", "--verbose");
    expect(JSON.parse(stdout)).toMatchObject({ id: 1 });
    expect(stderr).toMatch(/^calltracking\.v1\.AccountService\/GetAccount OK \d+\.\d ms\n$/);
  });
});

describe("phone-systems", () => {
  const create = (...args: string[]) => json("phone-systems", "create", ...args, "--fallback", "+14155550100");

  test("create, get, list, update, disable, enable and rotate", async () => {
    const created = await create("sip", "Main trunk", "--country", "49", "--trunk-prefix", "0", "--can", "prompt");
    const { api_key, notices, ...phoneSystem } = created;
    expect(api_key).toMatch(/^ct_/);
    // The test server has no PUBLIC_URL.
    expect(notices).toContainEqual(
      expect.stringMatching(/^PUBLIC_URL is unset, .*: set PUBLIC_URL, and restart the server$/),
    );
    const sip = { name: "Main trunk", kind: "sip", country_code: "49", capabilities: ["prompt"] };
    expect(phoneSystem).toMatchObject(sip);
    const id = String(phoneSystem.id);
    expect(await json("phone-systems", "get", id)).toStrictEqual(phoneSystem);
    expect(await json("phone-systems", "list")).toContainEqual(phoneSystem);
    const lists = ["--allow", "+49", "+43", "--allow-sip-hosts", "PBX.example.com", "--can", "whisper"];
    const options = ["--name", "Trunk", ...lists, "--trunk-prefix", ""];
    expect(await json("phone-systems", "update", id, ...options)).toMatchObject({
      ...{ name: "Trunk", allowed_prefixes: ["+49", "+43"], trunk_prefix: null, capabilities: ["whisper"] },
      ...{ fallback_number: "+14155550100", allowed_sip_hosts: ["pbx.example.com"] },
    });
    const emptied = await json("phone-systems", "update", id, "--allow", "", "--allow-sip-hosts", "");
    expect(emptied).toMatchObject({ allowed_prefixes: [], allowed_sip_hosts: [] });
    const etag = (await run("phone-systems", "get", id, "--etag")).stdout.trim();
    expect(await json("phone-systems", "disable", id, "--if-match", etag)).toMatchObject({ is_active: false });
    expect((await run("phone-systems", "enable", id, "--if-match", etag)).exitCode).toBe(1);
    expect(await json("phone-systems", "enable", id)).toMatchObject({ is_active: true });
    const rotated = await json("phone-systems", "rotate", id, "--overlap", "0s");
    expect(rotated).toMatchObject({ api_key: expect.stringMatching(/^ct_/), credentials: [{ is_readable: true }] });
  });

  test("reads the secrets of providers from stdin or from files, and never prints them", async () => {
    const [token, shared] = [join(folder, "token"), join(folder, "shared")];
    await writeFile(token, "0123456789abcdef0123456789abcdef\n");
    await writeFile(shared, "shared-key-0123456789\n");
    const args = ["twilio", "Twilio", "--account-sid", `AC${"0".repeat(32)}`];
    const created = await create(...args, "--secret-file", token, "--shared-key-file", shared);
    expect(created).toMatchObject({ kind: "twilio", api_key: null, credentials: [{ is_readable: true }] });
    expect(JSON.stringify(created)).not.toContain("0123456789abcdef");
    const rotate = ["phone-systems", "rotate", String(created.id), "--output", "json"];
    const options = { server: server.url, input: "fedcba9876543210fedcba9876543210\n" };
    expect(JSON.parse((await runCommand(rotate, options)).stdout).credentials).toHaveLength(2);
    expect(await refusal("phone-systems", "create", ...args, "--fallback", "+14155550100")).toContain("secret");
    const missing = ["--fallback", "+14155550100", "--secret-file", join(folder, "missing")];
    expect(await run("phone-systems", "create", ...args, ...missing)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^error: .*missing cannot be read: no such file or directory\n$/),
    });
  });

  test("check lists findings, and fails if one is wrong", async () => {
    const { id } = await create("sip", "Checked");
    const { stdout, stderr, exitCode } = await run("phone-systems", "check", String(id));
    // The test server has no PUBLIC_URL.
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "error: failed checks: public_url\n" });
    expect(stdout).toMatch(/public_url +false +PUBLIC_URL is unset/);
  });

  test("connects numbers with a phone system by an import", async () => {
    const { id } = await create("sip", "Of the inventory");
    const input = "phone_number,area_code\n+14155559001,91001\n";
    const args = ["inventory", "import", "-", "--phone-system", String(id)];
    expect(await runCommand(args, { server: server.url, input })).toMatchObject({ exitCode: 0 });
    const [number] = await json("inventory", "list", "--area-code", "91001");
    expect(number).toMatchObject({ phone_number: "+14155559001", phone_system_id: id });
  });
});
