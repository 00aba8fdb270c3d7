import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { type Profile, profileToJson } from "../../profiles/profile.js";
import { makeCertificates } from "../../testing/certificates.js";
import { type CliResult, cliPath } from "../../testing/cli.js";
import { createFolder } from "../../testing/create-folder.js";
import { startFaultyServer } from "../../testing/faulty-server.js";
import { lacksProgram } from "../../testing/lacks-program.js";
import { runCommand } from "../../testing/run-command.js";
import { createAdminKey, createServerDatabase } from "../../testing/server.js";
import { startSharedServer } from "../../testing/shared-server.js";

const folder = createFolder();
const files = await makeCertificates(folder, "CN=reports");
const databaseUrl = await createServerDatabase();
const adminKey = await createAdminKey(databaseUrl);
const tls = { TLS_CERT: files.server, TLS_KEY: files.serverKey, TLS_CLIENT_CA: files.ca, TLS_CLIENT_SCOPES: "dni" };
const server = await startSharedServer({ databaseUrl, settings: { AUTH: "keys,certs", ...tls } });

/** The folder in XDG_CONFIG_HOME, which is empty at the start of each test. */
let config: string;

beforeEach(async () => {
  config = await mkdtemp(join(folder, "config-"));
  vi.stubEnv("XDG_CONFIG_HOME", config);
  return () => void vi.unstubAllEnvs();
});

interface RunOptions {
  readonly input?: string;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

async function run(args: readonly string[], { environment = {}, ...options }: RunOptions = {}): Promise<CliResult> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const result = await runCommand([...args, "--retries", "0"], options);
  for (const name of Object.keys(environment)) vi.stubEnv(name, undefined);
  return result;
}

function logIn(args: readonly string[] = [], input = `${adminKey}\n`): Promise<CliResult> {
  return run(["login", "--server", server.url, "--ca", files.ca, "--output", "json", ...args], { input });
}

/** Saves a profile as login does. */
async function keep(name = "default", certificate: Partial<Profile> = {}): Promise<void> {
  await mkdir(join(config, "calltrack", "profiles"), { recursive: true });
  const profile = { server: server.url, key: adminKey, ca: files.ca, ...certificate };
  await writeFile(profileOf(name), profileToJson(profile), { mode: 0o600 });
}

const profileOf = (name: string) => join(config, "calltrack", "profiles", `${name}.json`);

describe("login", () => {
  test("saves a server and a key, readable only by the owner, and later commands use them", async () => {
    const { exitCode, stdout, stderr } = await logIn();
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    const shown = { profile: "default", server: server.url, ca: files.ca, cert: null, cert_key: null };
    expect(JSON.parse(stdout)).toStrictEqual({ ...shown, key: `${adminKey.slice(0, 15)}…` });
    const kept = { server: server.url, key: adminKey, ca: files.ca };
    expect(JSON.parse(await readFile(profileOf("default"), "utf8"))).toStrictEqual(kept);
    expect((await stat(profileOf("default"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(config, "calltrack"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(config, "calltrack", "profiles"))).toStrictEqual(["default.json"]);
    expect(await run(["keys", "list"])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("does not save a key that the server rejects, and keeps the existing profile", async () => {
    await keep();
    const before = await readFile(profileOf("default"), "utf8");
    const refused = await logIn([], "ct_made_up");
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^error: the API key is not valid: /);
    expect((await logIn([], "")).stderr).toMatch(
      /^error: authentication required: .* client certificate\n {2}Pass a key .*\n$/,
    );
    expect(await readFile(profileOf("default"), "utf8")).toBe(before);
    expect(await readdir(join(config, "calltrack", "profiles"))).toStrictEqual(["default.json"]);
  });

  test("saves a client certificate instead of a key, whatever its scopes", async () => {
    const pair = ["--cert", files.client, "--cert-key", files.clientKey];
    expect(await logIn(["--profile", "mesh", ...pair], "")).toMatchObject({ exitCode: 0, stderr: "" });
    for (const protocol of ["grpc", "connect"]) {
      const args = ["calls", "resolve", "+14155550142", "--profile", "mesh", "--protocol", protocol];
      expect((await run(args)).stderr).toMatch(/^error: tracking number "\+14155550142" not found/);
    }
    expect((await run(["keys", "list", "--profile", "mesh"])).stderr).toContain("the caller lacks the scope admin");
  });

  test("requires only the key for an existing profile", async () => {
    await keep("work");
    expect(await run(["login", "--profile", "work"], { input: adminKey })).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

const lacksScript = await lacksProgram("script", "--version");

test.skipIf(lacksScript)("a typed key is not shown (skipped where `script` is not installed)", async () => {
  const command = `'${process.execPath}' '${cliPath}' login --server ${server.url} --ca '${files.ca}'`;
  const terminal = promisify(execFile)("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { ...process.env, XDG_CONFIG_HOME: config },
  });
  let shown = "";
  terminal.child.stdout?.on("data", (text) => {
    shown += text;
    if (shown.endsWith(`API key for ${server.url}: `)) terminal.child.stdin?.write(`${adminKey}\r`);
  });
  await terminal;
  expect(shown).toContain(`${adminKey.slice(0, 15)}…`);
  expect(shown).not.toContain(adminKey.slice(16));
  expect(await run(["keys", "list"])).toMatchObject({ exitCode: 0 });
});

describe("a profile", () => {
  test("is overridden by options, and by the environment unless --profile selects it", async () => {
    await keep();
    const bad = { CALLTRACK_KEY: "ct_made_up" };
    expect(await run(["keys", "list"], { environment: bad })).toMatchObject({ exitCode: 1 });
    expect(await run(["keys", "list", "--key", adminKey], { environment: bad })).toMatchObject({ exitCode: 0 });
    expect(await run(["keys", "list", "--profile", "default"], { environment: bad })).toMatchObject({ exitCode: 0 });
    const named = { ...bad, CALLTRACK_PROFILE: "default" };
    expect(await run(["keys", "list"], { environment: named })).toMatchObject({ exitCode: 1 });
  });

  test("keeps the private key of its certificate from another certificate", async () => {
    const strange = await makeCertificates(await mkdtemp(join(folder, "other-")), "CN=reports");
    const cert = join(config, "pair.pem");
    const parts = await Promise.all([files.client, files.clientKey].map((file) => readFile(file)));
    await writeFile(cert, parts.join("\n"));
    const pair = { cert: strange.client, certKey: strange.clientKey };
    await keep("default", pair);
    for (const { args = [], environment = {} } of [
      { args: ["--cert", cert] },
      { environment: { CALLTRACK_CERT: cert } },
    ])
      expect(await run(["whoami", ...args], { environment })).toMatchObject({ exitCode: 0, stderr: "" });
    await run(["login", "--cert", cert], { input: adminKey });
    const kept = JSON.parse(await readFile(profileOf("default"), "utf8"));
    expect(kept).toStrictEqual({ server: server.url, key: adminKey, ca: files.ca, cert });
  });

  test("sends its key only to its own server", async () => {
    await keep();
    const sent: (string | null)[] = [];
    const other = await startFaultyServer({
      accounts: {
        listAccounts: (_, { requestHeader }) => {
          sent.push(requestHeader.get("authorization"));
          return {};
        },
      },
    });
    await run(["accounts", "list", "--server", other.url]);
    await run(["accounts", "list"], { environment: { CALLTRACK_SERVER: other.url } });
    await run(["accounts", "list", "--server", other.url, "--key", "another"]);
    expect(sent).toStrictEqual([null, null, "Bearer another"]);
    expect(await run(["keys", "list", "--server", server.url])).toMatchObject({ exitCode: 0 });
  });

  test("sends its key to its own server, whether or not their URLs end with a slash", async () => {
    await keep();
    const { key, ca } = JSON.parse(await readFile(profileOf("default"), "utf8"));
    await writeFile(profileOf("default"), profileToJson({ server: `${server.url}/`, key, ca }));
    expect(await run(["keys", "list", "--server", server.url])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await run(["api", "GET", "/call_tracking/accounts"])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("is rejected if other users can read it", async () => {
    await keep();
    const file = profileOf("default");
    const stderr = `error: ${file} contains a key and is readable by others: run chmod 600 ${file}\n`;
    for (const [mode, args] of [
      [0o640, ["accounts", "list"]],
      [0o604, ["profiles", "--output", "ndjson"]],
    ] as const) {
      await chmod(file, mode);
      expect(await run(args)).toStrictEqual({ exitCode: 2, stdout: "", stderr });
    }
  });

  test.each([{}, { server: "calltrack.example.com" }, { server: "" }, { server: "ftp://127.0.0.1" }])(
    "is reported if it is invalid, and can be replaced: %o",
    async (content) => {
      await keep();
      await writeFile(profileOf("default"), JSON.stringify(content));
      const { exitCode, stderr } = await run(["accounts", "list"]);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(
        /^error: \S+ is not a valid profile: replace it with calltrack login --profile default\n$/,
      );
      expect(await logIn()).toMatchObject({ exitCode: 0 });
    },
  );

  test("does not hide other profiles in the list if it cannot be read", async () => {
    await keep();
    await keep("work");
    await keep("broken");
    await writeFile(profileOf("broken"), "{}");
    await writeFile(profileOf("no name"), "{}");
    const { exitCode, stdout, stderr } = await run(["profiles", "--output", "json"]);
    expect(JSON.parse(stdout).map(({ profile }: { profile: string }) => profile)).toStrictEqual(["default", "work"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: \S+broken\.json is not a valid profile: .*; a profile name may contain .*\n$/);
  });

  test("is listed without its key, and deleted", async () => {
    await keep();
    await keep("work");
    const listed = JSON.parse((await run(["profiles", "--output", "json"])).stdout);
    expect(listed.map(({ profile }: { profile: string }) => profile)).toStrictEqual(["default", "work"]);
    expect(JSON.stringify(listed)).not.toContain(adminKey);
    const logOut = () => run(["logout", "--profile", "work"]);
    expect(await logOut()).toStrictEqual({ exitCode: 0, stdout: "", stderr: "Profile work deleted.\n" });
    expect((await logOut()).stderr).toBe('error: profile "work" not found: run calltrack profiles for a list\n');
    expect((await run(["accounts", "list", "--profile", "work"])).stderr).toBe(
      'error: profile "work" not found: create it with calltrack login --profile work\n',
    );
    expect((await run(["profiles"])).stdout).toMatch(/^profile +server +key +ca .*\n.*\n$/);
  });

  test("cannot escape its folder", async () => {
    const { exitCode, stderr } = await run(["logout", "--profile", "../x"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: a profile name may contain letters, digits/);
  });
});

describe("reports TLS failures", () => {
  test("a server certificate from an unknown authority", async () => {
    const { exitCode, stderr } = await run(["accounts", "list", "--server", server.url]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain("its certificate is signed by an unknown authority; pass the CA certificate with --ca");
  });

  test("a client certificate that the server rejects", async () => {
    const strange = await makeCertificates(await mkdtemp(join(folder, "other-")), "CN=reports");
    const pair = ["--cert", strange.client, "--cert-key", strange.clientKey];
    const { exitCode, stderr } = await run(["accounts", "list", "--server", server.url, "--ca", files.ca, ...pair]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(
      `connection lost\n  The server may have rejected the client certificate ${strange.client}: `,
    );
  });
});
