import { mkdir, mkdtemp, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UsageError } from "../process/usage-error.js";
import { createFolder } from "../testing/create-folder.js";
import { deleteProfile, findProfile, requireProfileFilePath, saveProfile } from "./profile-store.js";

const folder = createFolder();

beforeEach(async () => {
  vi.stubEnv("XDG_CONFIG_HOME", await mkdtemp(join(folder, "config-")));
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const profile = (key: string) => ({ server: "https://calltrack.example.com", key: key.repeat(100_000) });

test("replaces profiles atomically", async () => {
  const [before, after] = [profile("a"), profile("b")];
  await saveProfile("work", before);
  for (let time = 0; time < 20; time++) {
    const reading = Promise.all(Array.from({ length: 5 }, () => findProfile("work")));
    await saveProfile("work", time % 2 === 0 ? after : before);
    for (const seen of await reading) expect([before.key, after.key]).toContain(seen?.key);
  }
});

test("leaves no file behind if a write fails", async () => {
  await mkdir(join(requireProfileFilePath("work"), "in the way"), { recursive: true });
  await expect(saveProfile("work", profile("a"))).rejects.toThrow(UsageError);
  expect(await readdir(dirname(requireProfileFilePath("work")))).toEqual(["work.json"]);
});

test("deletes a profile once", async () => {
  await saveProfile("work", profile("a"));
  expect(await deleteProfile("work")).toBe(true);
  expect(await deleteProfile("work")).toBe(false);
  expect(await findProfile("work")).toBeUndefined();
});
