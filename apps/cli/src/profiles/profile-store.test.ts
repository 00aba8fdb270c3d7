import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UsageError } from "../usage-error.js";
import { findProfile, forgetProfile, keepProfile, profileFile, profileFolder } from "./profile-store.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "calltrack-profiles-"));
  vi.stubEnv("XDG_CONFIG_HOME", folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const profile = (key: string) => ({ server: "https://calltrack.example.com", key: key.repeat(100_000) });

test("a reader sees the whole of a profile, or of the one before", async () => {
  const [before, after] = [profile("a"), profile("b")];
  await keepProfile("work", before);
  for (let time = 0; time < 20; time++) {
    const reading = Promise.all(Array.from({ length: 5 }, () => findProfile("work")));
    await keepProfile("work", time % 2 === 0 ? after : before);
    for (const seen of await reading) expect([before.key, after.key]).toContain(seen?.key);
  }
});

test("a profile that can't be written leaves no file behind", async () => {
  await mkdir(join(profileFile("work"), "in the way"), { recursive: true });
  await expect(keepProfile("work", profile("a"))).rejects.toThrow(UsageError);
  expect(await readdir(profileFolder())).toEqual(["work.json"]);
});

test("a profile is forgotten once", async () => {
  await keepProfile("work", profile("a"));
  expect(await forgetProfile("work")).toBe(true);
  expect(await forgetProfile("work")).toBe(false);
  expect(await findProfile("work")).toBeUndefined();
});
