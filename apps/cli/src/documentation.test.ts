import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createFolder } from "./testing/create-folder.js";
import { type AuditEntry, DocumentationShell } from "./testing/documentation-shell.js";
import { findShown } from "./testing/find-shown.js";
import { findShellBlocks } from "./testing/shell-block.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The pages that have shell blocks. README.md comes first, because the other pages use the account and the pools that it creates. */
const PAGES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .toSorted((a, b) => Number(b === "README.md") - Number(a === "README.md"))
  .map((page) => [page, findShellBlocks(readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8"))] as const)
  .filter(([, blocks]) => blocks.length > 0);

describe("the shell blocks", () => {
  const folder = createFolder();
  let shell: DocumentationShell;
  const started: { readonly page: string; readonly at: number }[] = [];

  beforeAll(async () => {
    shell = await DocumentationShell.start(folder);
    return () => shell[Symbol.asyncDispose]();
  });

  test.each(PAGES)("of %s run", async (page, blocks) => {
    started.push({ page, at: Date.now() });
    for (const block of blocks) {
      if (block.mode === "skip") continue;
      const output = await shell.run(block).catch((error: Error) => {
        throw new Error(`${page}:${block.line} ${error.message}`);
      });
      if (block.output !== undefined && findShown(output, block.output) === undefined)
        throw new Error(`${page}:${block.line} does not print what the page shows:\n${output}`);
    }
  });

  // Readers run the blocks on their own data, so a page may disable, retire, revoke, shrink or forget only resources that it created.
  test("change only what the same page created", async () => {
    const pageOf = ({ occurred_at }: AuditEntry) => started.findLast(({ at }) => at <= Date.parse(occurred_at))?.page;
    const nameOf = (entry: AuditEntry) => `${pageOf(entry)}: ${entry.resource_type} ${entry.resource_id}`;
    const accountOf = (entry: AuditEntry) => `${pageOf(entry)}: ${entry.account_token}`;
    const entries = await shell.readAudit();
    const news = entries.filter(({ before }) => before === null);
    const accounts = news.filter(({ resource_type }) => resource_type === "account");
    // An account has a call flow from the start, so no audit entry shows the creation of the call flow.
    const created = new Set([...news.map(nameOf), ...accounts.map(accountOf)]);
    expect(created.size).toBeGreaterThan(10);
    const foreign = entries.filter(
      (entry) => entry.before !== null && !created.has(nameOf(entry)) && !created.has(accountOf(entry)),
    );
    expect(foreign.map((entry) => `${nameOf(entry)} of ${entry.account_token} by ${entry.method}`)).toEqual([]);
  });

  test.each(PAGES)("of %s need no newer curl than Ubuntu 22.04 has", (_page, blocks) => {
    for (const { script } of blocks) expect(script).not.toMatch(/curl.*--json/);
  });
});

test.each([
  ["cli", ["apps/cli/README.md", "docs/releases.md"]],
  ["server", ["README.md", "apps/server/README.md", "docs/releases.md"]],
])("the pages name the oldest Node.js that the manifest of the %s allows", (app, pages) => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const [oldest] = /[\d.]+/.exec(JSON.parse(read(`apps/${app}/package.json`)).engines.node) ?? [];
  for (const page of pages) {
    const named = Array.from(read(page).matchAll(/Node\.js ([\d.]+) or newer/g), ([, version]) => version);
    if (page === "docs/releases.md") expect(named, page).toContain(oldest);
    else expect(named, page).toEqual([oldest]);
  }
});

describe("a mark before a shell block", () => {
  const page = (mark: string) => `Text.\n\n<!-- ${mark} -->\n\n\`\`\`sh\necho hello\n\`\`\`\n`;

  test("needs a reason", () => {
    expect(() => findShellBlocks(page("not run:"))).toThrow('line 5: write a reason after "not run:"');
    expect(findShellBlocks(page("not run: needs Docker"))).toMatchObject([{ line: 5, mode: "skip" }]);
  });

  test("may show the output of the block above, without ids, times and some fields", () => {
    const shown =
      '\n\nIt prints:\n\n<!-- output -->\n```json\n{"id": 7, "a": {"at": "2026-11-20T21:01:15.934Z"}}\n```\n';
    const [block] = findShellBlocks(page("server: default") + shown);
    expect(block?.output).toEqual({ id: 7, a: { at: "2026-11-20T21:01:15.934Z" } });
    const printed = { id: 12, name: "x", a: { at: "2026-01-02T03:04:05.678Z", b: null } };
    expect(findShown(`text\n${JSON.stringify([{ id: 1 }, printed])}TIME [x]\n`, block?.output)).toEqual(printed);
    expect(findShown(JSON.stringify({ ...printed, a: {} }), block?.output)).toBeUndefined();
    expect(findShown(JSON.stringify({ ...printed, id: "12" }), block?.output)).toBeUndefined();
  });

  test("may say that the block fails, or how the server runs", () => {
    expect(findShellBlocks(page("fails: it is invalid"))).toMatchObject([{ mode: "fails", script: "echo hello\n" }]);
    expect(findShellBlocks(page("server: AUTH=keys"))).toMatchObject([{ mode: "run", server: { AUTH: "keys" } }]);
  });
});
