import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { JournalProcessOptions, TestEntry } from "../../testing/journal-process.js";
import { restoreImage } from "../../testing/recorded-disk.js";
import { type Environment, parseLog } from "../../testing/server-process.js";
import { createTestLog } from "../../testing/test-log.js";
import { Journal, type JournalEntryApplier, type JournalLimits } from "./journal.js";

const PROGRAM = fileURLToPath(new URL("../../../dist/testing/journal-process.js", import.meta.url));
const RECORDER = new URL("../../../dist/testing/power-cut-recorder.js", import.meta.url).href;

/** Some tests start many processes. */
const TIMEOUT_MS = 300_000;

const FOLDER = createFolder();

let base: string;
let folder: string;
let sink: string;

beforeEach(async () => {
  base = await mkdtemp(join(FOLDER, "test-"));
  folder = join(base, "data/telephony");
  sink = join(base, "sink");
});

function openJournal(limits: JournalLimits = {}, at: string | null = folder) {
  const output = createTestLog();
  const journal = new Journal<TestEntry>(at ?? undefined, output.log, limits);
  return { journal, output, [Symbol.asyncDispose]: () => journal.close() };
}

function entryOf(callId: string, isEnd = false, text = ""): TestEntry {
  return { callId, isEnd, text };
}

function appendAll(journal: Journal<TestEntry>, callIds: readonly string[]): Promise<unknown> {
  return Promise.all(callIds.map((callId) => journal.append(entryOf(callId))));
}

/** Records the call ids of applied entries. */
function recordCalls(calls: string[]): JournalEntryApplier<TestEntry> {
  return async ({ callId }) => {
    calls.push(callId);
    return "applied";
  };
}

/** Starts another journal on the folder, and returns the call ids of the entries that it finds. */
async function readLeft(count: number): Promise<string[]> {
  const calls: string[] = [];
  await using left = openJournal();
  left.journal.start(recordCalls(calls));
  await expect.poll(() => calls.length).toBeGreaterThanOrEqual(count);
  return calls;
}

const CALLS = Array.from({ length: 100 }, (_, index) => `call ${index}`);

describe("entries are applied", () => {
  test("in the order in which they were appended, and leave no files", async () => {
    const calls: string[] = [];
    await using opened = openJournal();
    await appendAll(opened.journal, CALLS);
    opened.journal.start(recordCalls(calls));
    await expect.poll(() => calls).toEqual(CALLS);
    await opened.journal.close();
    expect(await readdir(folder)).toEqual([]);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("when the database is available again, which is logged once", async () => {
    const calls: string[] = [];
    let attempts = 0;
    await using opened = openJournal();
    opened.journal.start((entry) => {
      if (++attempts < 4) throw new Error("no database");
      return recordCalls(calls)(entry);
    });
    await appendAll(opened.journal, CALLS);
    await expect.poll(() => calls.toSorted()).toEqual(CALLS.toSorted());
    expect(opened.output.messages).toEqual(["the journal of phone calls waits for the database"]);
  });

  test("by the next process, in order, if earlier ones stopped before", async () => {
    for (const callId of CALLS.slice(0, 6)) {
      await using stopped = openJournal();
      await stopped.journal.append(entryOf(callId));
      // Entries are ordered by their times, which are in milliseconds.
      await pause(2);
    }
    expect(await readLeft(6)).toEqual(CALLS.slice(0, 6));
    expect(await readdir(folder)).toEqual([]);
  });

  test("by the next process, if the journal is closed while it writes", async () => {
    const callIds = CALLS.slice(0, 5);
    // Large enough that its file exists for a while before it is complete.
    const text = "x".repeat(900_000);
    const sizeOf = (name: string) => fs.statSync(join(folder, name)).size;
    await mkdir(folder, { recursive: true });
    for (const callId of callIds) {
      const before = fs.readdirSync(folder);
      await using stopped = openJournal();
      const written = stopped.journal.append(entryOf(callId, false, text));
      const isWriting = () => fs.readdirSync(folder).some((name) => !before.includes(name) && sizeOf(name) > 0);
      while (!isWriting()) await nextTurn();
      await Promise.all([stopped.journal.close(), written]);
      expect(stopped.output.messages).toEqual([
        "the journal of phone calls has pending entries: the next server process with this DATA_DIR applies them",
      ]);
    }
    expect((await readLeft(callIds.length)).toSorted()).toEqual(callIds.toSorted());
  });

  test("once, even if the process stops before it has applied all", async () => {
    const calls: string[] = [];
    await using opened = openJournal();
    await appendAll(opened.journal, CALLS);
    opened.journal.start((entry) => {
      if (calls.length === 50) throw new Error("no database");
      return recordCalls(calls)(entry);
    });
    await expect.poll(() => opened.output.messages).toContain("the journal of phone calls waits for the database");
    await opened.journal.close();
    expect(opened.output.lines.at(-1)).toMatchObject({ level: 40, entries: 50 });
    expect([...calls, ...(await readLeft(50))]).toEqual(CALLS);
  });

  test("later if they refer to an unknown call", async () => {
    const calls: string[] = [];
    await using opened = openJournal();
    opened.journal.start(async (entry) =>
      entry.callId === "end" && !calls.includes("ring") ? "later" : recordCalls(calls)(entry),
    );
    await appendAll(opened.journal, ["end", "other", "ring"]);
    await expect.poll(() => calls).toEqual(["other", "ring", "end"]);
  });

  test("even if others always fail and are finally dropped", async () => {
    const calls: string[] = [];
    await using opened = openJournal({ maxWaitMs: 1 });
    opened.journal.start((entry) => {
      if (entry.callId.startsWith("bad")) throw new Error("bad");
      return recordCalls(calls)(entry);
    });
    await appendAll(opened.journal, ["bad 1", "bad 2", "bad 3", ...CALLS]);
    await expect.poll(() => calls).toEqual(CALLS);
    const appendAndCount = async () => {
      await opened.journal.append(entryOf("other"));
      return opened.journal.dropped;
    };
    await expect.poll(appendAndCount).toBe(3);
  });

  test("from memory if there is no folder", async () => {
    const calls: string[] = [];
    await using opened = openJournal({}, null);
    opened.journal.start(recordCalls(calls));
    await appendAll(opened.journal, CALLS);
    await expect.poll(() => calls).toEqual(CALLS);
  });
});

describe("entries are dropped, counted and logged", () => {
  test("if they wait too long for their call", async () => {
    await using opened = openJournal({ maxWaitMs: 1 });
    opened.journal.start(async () => "later");
    await opened.journal.append(entryOf("unknown"));
    await expect.poll(() => opened.journal.dropped).toBe(1);
    expect(opened.journal.size).toBe(0);
    expect(opened.output.lines).toMatchObject([{ level: 50, dropped: 1 }]);
  });

  test.each<[string, JournalLimits]>([
    ["entries", { maxEntries: 100 }],
    ["bytes", { maxBytes: 100 * 100 }],
  ])("if the journal is full of %s: those of the oldest ended calls first", async (_, limits) => {
    await using opened = openJournal(limits);
    const text = ".".repeat(20);
    const append = (callId: string, isEnd: boolean) => opened.journal.append(entryOf(callId, isEnd, text));
    await append("open", false);
    for (let call = 100; call < 200; call++) {
      await append(`${call}`, false);
      await append(`${call}`, true);
    }
    await opened.journal.close();
    const { size } = opened.journal;
    expect(size + opened.journal.dropped).toBe(201);
    expect(opened.output.lines.reduce((sum, { dropped = 0 }) => sum + Number(dropped), 0)).toBe(opened.journal.dropped);
    const calls = await readLeft(size);
    expect(calls[0]).toBe("open");
    const kept = Array.from({ length: size - 1 }, (_, index) => `${200 - Math.ceil((size - 1 - index) / 2)}`);
    expect(calls.slice(1)).toEqual(kept);
  });

  test("and the files of a full journal remain bounded", async () => {
    const maxBytes = 2 * 1024 * 1024;
    await using opened = openJournal({ maxBytes });
    for (let call = 0; call < 1500; call++) {
      // One in 40 calls never ends, so that every file contains an entry that is still needed.
      await opened.journal.append(entryOf(`${call}`, call % 40 !== 0, ".".repeat(10_000)));
      if (call % 100 !== 0) continue;
      const sizes = fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).size);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * maxBytes + 2 * 1024 * 1024);
    }
  });
});

describe("a torn file", () => {
  test.each<[string, (file: string, end: number) => Promise<void>]>([
    ["cut off", truncate],
    [
      "filled with zeros",
      async (file, end) => {
        const { length } = await readFile(file);
        await truncate(file, end);
        await truncate(file, length);
      },
    ],
    [
      "overwritten",
      async (file, end) => {
        const content = await readFile(file);
        await writeFile(file, content.fill(0xa5, end));
      },
    ],
  ])("that is %s keeps the entries before, and the loss is logged", async (_, tear) => {
    const calls = CALLS.slice(0, 2);
    await using first = openJournal();
    await appendAll(first.journal, calls);
    await first.journal.close();
    const [name = ""] = (await readdir(folder)).filter((each) => each.endsWith(".journal"));
    const whole = await readFile(join(folder, name));
    // All records have the same length.
    const recordBytes = whole.length / calls.length;
    for (let end = 0; end < whole.length; end += end === 1 ? recordBytes - 2 : 1) {
      await writeFile(join(folder, name), whole);
      await tear(join(folder, name), end);
      await using next = openJournal();
      next.journal.start(recordCalls([]));
      await next.journal.close();
      expect(next.journal.size).toBe(Math.floor(end / recordBytes));
      if (end % recordBytes !== 0)
        expect(next.output.messages).toContain("a crash cut off the end of a journal of phone calls");
      await rm(folder, { recursive: true });
      await mkdir(folder);
    }
  });
});

/** Starts the program of `journal-process.ts`. By default, Node.js runs the program directly. A test can pass another command that runs Node.js. */
function startProcess(
  options: Partial<JournalProcessOptions>,
  environment: Environment = {},
  [command = process.execPath, ...args]: readonly string[] = [],
) {
  const all: JournalProcessOptions = { folder, sink, entries: 0, ...options };
  const child = spawn(command, [...args, PROGRAM, JSON.stringify(all)], { env: { ...process.env, ...environment } });
  const acknowledged: string[] = [];
  let log = "";
  const lines = createInterface(child.stdout).on("line", (line) => acknowledged.push(line));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    /** The call ids of the entries that were synced so far. */
    acknowledged,
    get log() {
      return log;
    },
    /** Resolves when a number of entries is synced; rejects if the program ends before that. */
    async waitFor(count: number) {
      while (acknowledged.length < count) {
        if (child.exitCode !== null) throw new Error(`the program ended: ${log}`);
        await Promise.race([once(lines, "line"), ended]);
      }
    },
    kill,
    /** Stops the program gracefully. */
    async stop() {
      child.stdin.end();
      await ended;
      expect(child.exitCode, log).toBe(0);
    },
    [Symbol.asyncDispose]: kill,
  };
}

/** Returns the process id and the call id of each applied entry, in the order of application. */
async function readApplied(): Promise<{ readonly pid: number; readonly callId: string }[]> {
  const lines = (await readFile(sink, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => {
    const [pid, callId = ""] = line.split(" ");
    return { pid: Number(pid), callId };
  });
}

describe("a killed process", { timeout: TIMEOUT_MS }, () => {
  test("leaves all of 8000 entries to others, which apply none twice unnecessarily", async () => {
    const acknowledged: string[] = [];
    const killed = new Set<number>();
    const away = `${sink}.away`;
    await writeFile(away, "");
    while (acknowledged.length < 8000) {
      const options = { entries: 1000, limits: { adoptIntervalMs: 100 } };
      const processes = Array.from({ length: 3 }, () => startProcess(options));
      for (const each of processes) {
        await each.waitFor(Math.random() * options.entries);
        // Moves the sink away from time to time, as if the database were unavailable.
        await (Math.random() < 0.5 ? rename(sink, away) : rename(away, sink)).catch(() => {});
        if (Math.random() < 0.2) await each.stop();
        else {
          killed.add(each.pid);
          await each.kill();
        }
        acknowledged.push(...each.acknowledged.filter((line) => line !== "done"));
      }
    }
    await rename(away, sink).catch(() => {});
    await using last = startProcess({});
    const listMissing = async () => {
      const applied = new Set((await readApplied()).map(({ callId }) => callId));
      return acknowledged.filter((callId) => !applied.has(callId));
    };
    await expect.poll(listMissing).toEqual([]);
    await last.stop();
    const applications = Map.groupBy(await readApplied(), ({ callId }) => callId);
    for (const [callId, byCall] of applications) {
      const pids = byCall.map(({ pid }) => pid);
      expect(new Set(pids).size, callId).toBe(pids.length);
      expect(
        pids.slice(0, -1).every((pid) => killed.has(pid)),
        callId,
      ).toBe(true);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test("leaves its entries to a running one", async () => {
    await writeFile(sink, "");
    await using running = startProcess({ limits: { adoptIntervalMs: 100 } });
    await using first = startProcess({ entries: 100, sink: `${sink}.away` });
    await first.waitFor(101);
    await first.kill();
    await expect.poll(readApplied).toHaveLength(100);
    expect((await readApplied()).every(({ pid }) => pid === running.pid)).toBe(true);
  });
});

test("a process whose files cannot be taken over does not prevent the takeover of others", async () => {
  const calls: string[] = [];
  for (const callId of CALLS.slice(0, 20)) {
    await using ended = openJournal();
    await ended.journal.append(entryOf(callId));
  }
  // Folders in place of lock files cannot be locked. Their names come before, between and after the names of the other lock files.
  for (const digit of "0123456789abcdef") await mkdir(join(folder, `${digit.repeat(36)}.lock`));
  await using opened = openJournal();
  opened.journal.start(recordCalls(calls));
  await expect.poll(() => calls.toSorted()).toEqual(CALLS.slice(0, 20).toSorted());
  const failures = opened.output.lines.filter(({ msg }) => String(msg).includes("cannot be taken over"));
  expect(failures).toMatchObject([{ err: { message: expect.stringContaining(`${"0".repeat(36)}.lock`) } }]);
});

test("a power cut loses no synced entry", { timeout: TIMEOUT_MS }, async () => {
  const image = join(base, "image");
  const environment = {
    DATA_DIR: folder,
    POWER_CUT_IMAGE: image,
    POWER_CUT_THREAD: "main",
    NODE_OPTIONS: `--import=${RECORDER}`,
  };
  await mkdir(folder, { recursive: true });
  await using first = startProcess({ entries: 5000 }, environment);
  await first.waitFor(1000);
  await first.kill();
  await rm(folder, { recursive: true });
  restoreImage(image, folder);
  const calls = new Set(await readLeft(first.acknowledged.length));
  expect(first.acknowledged.filter((callId) => !calls.has(callId))).toEqual([]);
});

describe("a disk that cannot be written", { timeout: TIMEOUT_MS }, () => {
  const CANNOT_BE_WRITTEN =
    "the journal of phone calls cannot be written to DATA_DIR: check its disk. Until a write succeeds, entries are kept only in memory";
  const IS_WRITTEN = "the journal of phone calls can be written again";

  test("keeps entries in memory, and gets them when it can be written", async () => {
    // Not even root can write into a folder whose path is a file.
    await writeFile(join(base, "data"), "");
    await using opened = openJournal();
    for (const callId of CALLS) await opened.journal.append(entryOf(callId));
    await rm(join(base, "data"));
    const appendAndReadLog = async () => {
      await opened.journal.append(entryOf("last"));
      return opened.output.messages;
    };
    await expect.poll(appendAndReadLog).toEqual([CANNOT_BE_WRITTEN, IS_WRITTEN]);
    const { size } = opened.journal;
    await opened.journal.close();
    expect((await readLeft(size)).slice(0, CALLS.length)).toEqual(CALLS);
  });

  test("keeps entries in memory, from which they are applied, and logs how many are lost with the process", async () => {
    await writeFile(join(base, "data"), "");
    const calls: string[] = [];
    await using opened = openJournal();
    await appendAll(opened.journal, CALLS);
    opened.journal.start(async (entry) => (entry.callId === CALLS[0] ? "later" : recordCalls(calls)(entry)));
    await expect.poll(() => calls).toEqual(CALLS.slice(1));
    await opened.journal.close();
    expect(opened.output.lines.at(-1)).toMatchObject({ level: 50, lost: 1 });
  });

  test("because its file system has no locks keeps entries in memory", async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
      throw Object.assign(new Error("database is locked"), { errcode: 5 });
    });
    await using opened = openJournal();
    expect(await opened.journal.append(entryOf("kept"))).toBe(false);
    expect(opened.output.lines).toMatchObject([
      {
        msg: CANNOT_BE_WRITTEN,
        err: { message: `files in ${folder} cannot be locked: use a file system that supports locks` },
      },
    ]);
    expect(await readdir(folder)).toEqual([]);
    exec.mockRestore();
    const appendAndReadLog = async () => {
      await opened.journal.append(entryOf("last"));
      return opened.output.messages;
    };
    await expect.poll(appendAndReadLog).toContain(IS_WRITTEN);
  });

  const MOUNT = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
  const canMount = spawnSync(MOUNT[0] ?? "", [...MOUNT.slice(1), "mount -t tmpfs tmpfs /mnt"]).status === 0;

  test.skipIf(!canMount)("because it is full gets all entries when there is space", async () => {
    await mkdir(folder, { recursive: true });
    const script = `mount -t tmpfs -o size=64k tmpfs ${folder} && exec "$@"`;
    await using first = startProcess({ entries: 1000 }, {}, [...MOUNT, script, "sh", process.execPath]);
    await first.waitFor(1001);
    expect(parseLog(first.log).map(({ msg }) => msg)).toContain(CANNOT_BE_WRITTEN);
    const mount = `/proc/${first.pid}/root${folder}`;
    expect(fs.statfsSync(mount).bavail).toBe(0);
    // Each attempt to write creates a file, which is deleted again.
    const begun = new Set<string | null>();
    const watcher = fs.watch(mount, (_, name) => void begun.add(name));
    await expect.poll(() => begun.size).toBeGreaterThan(2);
    watcher.close();
    const listFiles = () => fs.readdirSync(mount).filter((name) => name.endsWith(".journal"));
    expect(listFiles().length).toBeLessThanOrEqual(2);
    spawnSync("nsenter", [`--target=${first.pid}`, "--user", "--mount", "mount", "-o", "remount,size=64m", folder]);
    // Waits for the entries on the disk, because the journal already logs `IS_WRITTEN` after the first of several batches.
    const listEntries = () =>
      listFiles().flatMap((name) => fs.readFileSync(join(mount, name), "latin1").match(/"callId"/g) ?? []);
    await expect.poll(() => listEntries().length).toBeGreaterThanOrEqual(1000);
    expect(first.log).toContain(IS_WRITTEN);
    await cp(mount, join(base, "copy"), { recursive: true });
    await first.kill();
    await rm(folder, { recursive: true });
    await rename(join(base, "copy"), folder);
    const calls = new Set(await readLeft(first.acknowledged.length - 1));
    expect(first.acknowledged.filter((callId) => callId !== "done" && !calls.has(callId))).toEqual([]);
  });
});
