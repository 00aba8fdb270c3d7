import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { describe, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { loadSecretBox } from "./load-secret-box.js";

const FOLDER = createFolder();
const KEY = Buffer.alloc(32, 1).toString("base64");

const open = (environment: Record<string, string>) => loadSecretBox(readConfig(environment));

async function newDirectory(name: string): Promise<string> {
  const directory = join(FOLDER, name);
  await mkdir(directory);
  return directory;
}

describe("the embedded database", () => {
  test("has a key file that only this user can read, created once", async () => {
    const directory = await newDirectory("created");
    // An interrupted creation left this file.
    await writeFile(join(directory, "secrets.key.unfinished"), "half");
    const ciphertext = open({ DATA_DIR: directory })?.encrypt("secret", "a") ?? "";
    expect(open({ DATA_DIR: directory })?.decrypt(ciphertext, "a")).toBe("secret");
    expect(await readdir(directory)).toEqual(["secrets.key"]);
    expect((await stat(join(directory, "secrets.key"))).mode & 0o777).toBe(0o600);
    // The key file contains a valid value of SECRETS_KEY.
    const keys = (await readFile(join(directory, "secrets.key"), "utf8")).trim();
    expect(open({ SECRETS_KEY: `${KEY},${keys}` })?.decrypt(ciphertext, "a")).toBe("secret");
  });

  test("rejects a damaged key file without quoting it", async () => {
    const directory = await newDirectory("damaged");
    await writeFile(join(directory, "secrets.key"), KEY.slice(1));
    expect(() => open({ DATA_DIR: directory })).toThrow(/^SECRETS_KEY must be set, or .*secrets\.key must contain/);
    expect(() => open({ DATA_DIR: directory })).not.toThrow(KEY.slice(1));
  });

  test("has no key file with SECRETS_KEY, or in memory", async () => {
    const directory = await newDirectory("unused");
    expect(open({ DATA_DIR: directory, SECRETS_KEY: KEY })).toBeDefined();
    expect(await readdir(directory)).toEqual([]);
    expect(open({ DATA_DIR: "memory://" })).toBeDefined();
  });
});

test("PostgreSQL needs SECRETS_KEY", () => {
  const DATABASE_URL = "postgres://localhost/calltrack";
  expect(open({ DATABASE_URL })).toBeUndefined();
  expect(open({ DATABASE_URL, SECRETS_KEY: KEY })).toBeDefined();
});
