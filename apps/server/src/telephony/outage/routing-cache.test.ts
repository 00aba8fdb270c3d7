import fs from "node:fs";
import { mkdtemp, readdir, readFile, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import type { CallRoute, PhoneSystemRules } from "@calltrack/domain";
import { CallFlowSettingsSchema } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeEach, describe, expect, test } from "vitest";
import { createTestLog } from "../../testing/test-log.js";
import { RoutingCache, type RoutingCacheLimits, type RoutingDataSource } from "./routing-cache.js";

interface TestSystem extends PhoneSystemRules {
  readonly credentials: readonly string[];
}

const FILE = "routing-cache.ndjson";

/** The path of a file, where no folder can be created. */
const NO_FOLDER = join(import.meta.filename, "telephony");

const FOLDER = createFolder();

let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(FOLDER, "test-")), "telephony");
});

/** Opens a cache with the routes in the file. */
async function openCache(limits: RoutingCacheLimits = {}, at = folder) {
  const output = createTestLog();
  const cache = new RoutingCache<TestSystem>(at, output.log, limits);
  await cache.load();
  return { cache, output, [Symbol.asyncDispose]: () => cache.close() };
}

function numberOf(index: number): string {
  return `+1${2_000_000_000 + index}`;
}

function routeOf(index: number, originalNumber = "+12125550100"): CallRoute {
  return {
    trackingNumber: numberOf(index),
    accountId: 1,
    accountToken: "acme",
    poolId: `pool ${index}`,
    callTrackerId: `tracker ${index}`,
    originalNumber,
    source: index % 2 === 0 ? "größe" : undefined,
    medium: "cpc",
    isPrompted: true,
    isRecorded: false,
    flow: create(CallFlowSettingsSchema, { promptText: "Welcome\n", ringSeconds: 25, closedDates: ["2026-12-25"] }),
    trackedNumbers: [],
    isReleased: index % 3 === 0,
    phoneSystemId: "system",
  };
}

function systemOf(id: string, credentials: readonly string[] = ["encrypted"]): TestSystem {
  return {
    id,
    kind: "sip",
    fallbackNumber: "+12125550199",
    countryCode: "1",
    trunkPrefix: undefined,
    allowedPrefixes: ["+1"],
    allowedSipHosts: ["pbx.example.com"],
    ownCountries: ["US"],
    capabilities: new Set(["prompt"]),
    credentials,
  };
}

/** Returns a data source with the routes and phone systems of a database. */
function sourcesOf(routes: readonly CallRoute[], systems: readonly TestSystem[] = []): RoutingDataSource<TestSystem> {
  return {
    async listCallRoutes(afterNumber, limit) {
      const start = routes.findIndex(({ trackingNumber }) => trackingNumber > afterNumber);
      return start === -1 ? [] : routes.slice(start, start + limit);
    },
    listStoredPhoneSystems: async () => systems,
  };
}

const ROUTES = Array.from({ length: 1200 }, (_, index) => routeOf(index));

test("returns routes and phone systems unchanged, even after a restart", async () => {
  await using first = await openCache();
  for (const route of ROUTES) first.cache.put(route);
  first.cache.putPhoneSystem(systemOf("system"));
  const expectAll = (cache: RoutingCache<TestSystem>) => {
    for (const route of ROUTES) expect(cache.get(route.trackingNumber)).toEqual(route);
    expect(cache.phoneSystem("system")).toEqual(systemOf("system"));
    expect(cache.get("+10000000000")).toBeUndefined();
    expect(cache.phoneSystem("other")).toBeUndefined();
  };
  expectAll(first.cache);
  await first.cache.close();
  await using second = await openCache();
  expectAll(second.cache);
  expect(second.output.messages).toEqual([]);
  const { mode } = await stat(join(folder, FILE));
  expect(mode & 0o777).toBe(0o600);
});

test("reads a file from a release whose routes do not say whether a number is released", async () => {
  await using first = await openCache();
  first.cache.put(routeOf(0));
  await first.cache.close();
  const path = join(folder, FILE);
  const [header, line = ""] = (await readFile(path, "utf8")).split("\n");
  const lines = `${header}\n${line.replace(',"isReleased":true', "")}\n`;
  await writeFile(path, `${lines}${JSON.stringify({ crc32: crc32(lines) })}\n`);
  await using second = await openCache();
  expect(second.cache.get(numberOf(0))).toEqual({ ...routeOf(0), isReleased: false });
});

test("reads a file from a later release, whose call flows have unknown settings", async () => {
  await using first = await openCache();
  first.cache.put(routeOf(0));
  await first.cache.close();
  const path = join(folder, FILE);
  const [header, line = ""] = (await readFile(path, "utf8")).split("\n");
  const lines = `${header}\n${line.replace('"flow":{', '"flow":{"futureSetting":"x",').replace('"x",}', '"x"}')}\n`;
  expect(lines).toContain("futureSetting");
  await writeFile(path, `${lines}${JSON.stringify({ crc32: crc32(lines) })}\n`);
  await using second = await openCache();
  expect(second.cache.get(numberOf(0))).toEqual(routeOf(0));
});

test("is filled from the database, and follows its changes", async () => {
  const systems = [systemOf("kept"), systemOf("deleted")];
  const routes = [...ROUTES];
  await using opened = await openCache({ refreshMs: 1 });
  opened.cache.start(sourcesOf(routes, systems));
  await expect.poll(() => opened.cache.get(numberOf(1199))).toEqual(routes[1199]);
  expect(opened.cache.phoneSystem("deleted")).toEqual(systemOf("deleted"));
  routes[600] = routeOf(600, "+12125550111");
  systems.splice(0, 2, systemOf("kept", ["rotated"]));
  await expect.poll(() => opened.cache.get(numberOf(600))).toEqual(routes[600]);
  await expect.poll(() => opened.cache.phoneSystem("kept")?.credentials).toEqual(["rotated"]);
  expect(opened.cache.phoneSystem("deleted")).toBeUndefined();
  await expect.poll(() => readFile(join(folder, FILE), "utf8")).toContain("+12125550111");
});

test("keeps the routes of the latest calls if it is full, even after a restart", async () => {
  const limits = { maxRoutes: 10, refreshMs: 1 };
  await using first = await openCache(limits);
  for (let index = 1000; index < 1010; index++) first.cache.put(routeOf(index));
  first.cache.get(numberOf(1000));
  first.cache.start(sourcesOf(ROUTES));
  await expect.poll(() => fs.existsSync(join(folder, FILE))).toBe(true);
  await first.cache.close();
  await using second = await openCache(limits);
  second.cache.put(routeOf(1));
  expect(second.cache.get(numberOf(1000))).toEqual(routeOf(1000));
  expect(second.cache.get(numberOf(1001))).toBeUndefined();
  expect(second.cache.get(numberOf(1002))).toEqual(routeOf(1002));
});

test("keeps its routes while the database is unavailable, which is logged once", async () => {
  let calls = 0;
  await using opened = await openCache({ refreshMs: 1 });
  opened.cache.put(routeOf(1));
  const fail = async () => {
    calls++;
    throw new Error("no database");
  };
  opened.cache.start({ listCallRoutes: fail, listStoredPhoneSystems: fail });
  await expect.poll(() => calls).toBeGreaterThan(3);
  expect(opened.cache.get(numberOf(1))).toEqual(routeOf(1));
  expect(opened.output.messages).toEqual(["the last known routes of calls cannot be refreshed"]);
});

test("does not replace the file if nothing has changed", async () => {
  await using first = await openCache();
  first.cache.put(routeOf(1));
  await first.cache.close();
  const { ino } = await stat(join(folder, FILE));
  await using second = await openCache({ refreshMs: 1 });
  let refreshes = 0;
  const { listCallRoutes, listStoredPhoneSystems } = sourcesOf([routeOf(1)]);
  second.cache.start({
    listCallRoutes,
    listStoredPhoneSystems() {
      refreshes++;
      return listStoredPhoneSystems();
    },
  });
  await expect.poll(() => refreshes).toBeGreaterThan(3);
  second.cache.put(routeOf(1));
  await second.cache.close();
  expect((await stat(join(folder, FILE))).ino).toBe(ino);
});

test("several processes save one complete file", async () => {
  const opened = await Promise.all(Array.from({ length: 5 }, () => openCache()));
  for (const { cache } of opened) for (const route of ROUTES) cache.put(route);
  await Promise.all(opened.map(({ cache }) => cache.close()));
  await using next = await openCache();
  for (const route of ROUTES) expect(next.cache.get(route.trackingNumber)).toEqual(route);
  expect(await readdir(folder)).toEqual([FILE]);
});

test("is saved even if the clock was set back, and removes the unfinished file of a process that was killed long ago", async () => {
  await using first = await openCache();
  first.cache.put(routeOf(1));
  await first.cache.close();
  const hour = 3_600_000;
  await utimes(join(folder, FILE), new Date(), new Date(Date.now() + hour));
  const [abandoned, current] = [join(folder, `${FILE}.1.new`), join(folder, `${FILE}.2.new`)];
  for (const path of [abandoned, current]) await writeFile(path, "");
  await utimes(abandoned, new Date(), new Date(Date.now() - 2 * hour));
  await using second = await openCache();
  second.cache.put(routeOf(2));
  await second.cache.close();
  await using third = await openCache();
  expect(third.cache.get(numberOf(2))).toEqual(routeOf(2));
  expect((await readdir(folder)).toSorted()).toEqual([FILE, `${FILE}.2.new`]);
});

test("works without a writable folder, and logs the problem", async () => {
  await using opened = await openCache({ refreshMs: 1 }, NO_FOLDER);
  opened.cache.start(sourcesOf(ROUTES));
  await expect.poll(() => opened.cache.get(numberOf(1199))).toEqual(ROUTES[1199]);
  await opened.cache.close();
  expect(opened.output.messages).toEqual([
    "the last known routes of calls cannot be read from DATA_DIR",
    "the last known routes of calls cannot be saved in DATA_DIR",
  ]);
});

describe("ignores a file, and says so, that", () => {
  test.each<[string, (path: string, content: Buffer) => Promise<void>]>([
    ["is cut off", (path, { length }) => truncate(path, Math.floor(length / 2))],
    ["lacks its last byte", (path, { length }) => truncate(path, length - 2)],
    ["is empty", (path) => truncate(path, 0)],
    ["has a changed byte", (path, content) => writeFile(path, content.fill("x", 300, 301))],
    ["has bytes after its end", (path, content) => writeFile(path, `${content}more`)],
    ["is of an earlier format", (path, content) => writeFile(path, String(content).replace("cache-1", "cache-0"))],
    ["is no text", (path, content) => writeFile(path, content.fill(0xff))],
  ])("%s", async (_, damage) => {
    await using first = await openCache();
    for (const route of ROUTES.slice(0, 10)) first.cache.put(route);
    await first.cache.close();
    const path = join(folder, FILE);
    await damage(path, await readFile(path));
    await using second = await openCache();
    expect(second.output.messages).toEqual(["the last known routes of calls cannot be read from DATA_DIR"]);
    for (const { trackingNumber } of ROUTES.slice(0, 10)) expect(second.cache.get(trackingNumber)).toBeUndefined();
    second.cache.put(routeOf(1));
    await second.cache.close();
    await using third = await openCache();
    expect(third.cache.get(numberOf(1))).toEqual(routeOf(1));
  });
});
