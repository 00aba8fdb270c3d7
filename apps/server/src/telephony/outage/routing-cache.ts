import { setTimeout as pause } from "node:timers/promises";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { CallRoute, PhoneSystemRules } from "@calltrack/domain";
import { CallFlowSettingsSchema } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { batchLines, readRoutingCacheFile, writeRoutingCacheFile } from "./routing-cache-file.js";

/**
 * The number of routes that one statement reads. It is low, so that the statement occupies the event loop and the database for only a few
 * milliseconds.
 */
const PAGE_SIZE = 500;

/** The pause after reading a page of routes, as a multiple of the reading time: a refresh uses about a twentieth of one connection's time. */
const PAUSE_FACTOR = 20;

export interface RoutingDataSource<System> {
  /** Returns up to `limit` routes, in the order of their tracking numbers, from the first tracking number that follows `afterNumber`. */
  listCallRoutes(afterNumber: string, limit: number): Promise<readonly CallRoute[]>;
  listStoredPhoneSystems(): Promise<readonly System[]>;
}

/** Only tests override the default limits. */
export interface RoutingCacheLimits {
  /** Default: 100 000. */
  readonly maxRoutes?: number;
  /** Pause between two refreshes, each followed by a save. Default: 1 minute. */
  readonly refreshMs?: number;
}

/**
 * Caches the routes of tracking numbers, and the phone systems with their encrypted credentials, so that calls are routed while the database
 * is unavailable. A file keeps the cache across restarts.
 *
 * `System` is `StoredPhoneSystem`; apart from `capabilities`, its fields must be JSON values.
 */
export class RoutingCache<System extends PhoneSystemRules> {
  readonly #folder: string | undefined;
  readonly #log: Logger;
  readonly #refreshMs: number;
  /** The routes as JSON texts, keyed by tracking number. A text needs a fraction of the memory of an object. */
  readonly #routes: LRUCache<string, string>;
  readonly #phoneSystems = new Map<string, System>();
  readonly #stop = new AbortController();
  /** Whether the cache has changed since it was saved. */
  #isChanged = false;
  #running: Promise<void> | undefined;
  /** The log messages of the tasks whose last run failed. Only the first failure in a row is logged. */
  readonly #failing = new Set<string>();

  /** @param folder `DATA_DIR/telephony`; undefined to keep no file. */
  constructor(
    folder: string | undefined,
    log: Logger,
    { maxRoutes = 100_000, refreshMs = 60_000 }: RoutingCacheLimits = {},
  ) {
    this.#folder = folder;
    this.#log = log;
    this.#refreshMs = refreshMs;
    // The option `max` would allocate memory for `maxRoutes` routes at once.
    this.#routes = new LRUCache({ maxSize: maxRoutes, sizeCalculation: () => 1 });
  }

  get(trackingNumber: string): CallRoute | undefined {
    const json = this.#routes.get(trackingNumber);
    return json === undefined ? undefined : parseRoute(json);
  }

  put(route: CallRoute): void {
    const json = formatRoute(route);
    if (this.#routes.get(route.trackingNumber) !== json) this.#set(route.trackingNumber, json);
  }

  phoneSystem(id: string): System | undefined {
    return this.#phoneSystems.get(id);
  }

  putPhoneSystem(system: System): void {
    const before = this.#phoneSystems.get(system.id);
    if (before === undefined || formatPhoneSystem(before) !== formatPhoneSystem(system)) this.#isChanged = true;
    this.#phoneSystems.set(system.id, system);
  }

  /** Reads the file that the last process saved. Never rejects: a damaged file, or one in another format, is logged and ignored. */
  async load(): Promise<void> {
    if (this.#folder === undefined) return;
    try {
      for await (const lines of batchLines(await readRoutingCacheFile(this.#folder))) {
        for (const line of lines) this.#loadLine(line);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      this.#log.warn({ err: error }, "the last known routes of calls cannot be read from DATA_DIR");
    }
  }

  /** Starts to refresh the cache from the database, and to save it to the file. */
  start(sources: RoutingDataSource<System>): void {
    this.#running = this.#run(sources);
  }

  /** Stops refreshing the cache, and saves it if it has changed. */
  async close(): Promise<void> {
    this.#stop.abort();
    // Saves at once, because a refresh in progress may wait for the database for longer than the shutdown lasts.
    await Promise.all([this.#save(0), this.#running]);
  }

  async #run(sources: RoutingDataSource<System>): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#attempt("the last known routes of calls cannot be refreshed", () => this.#refresh(sources));
      await this.#save(this.#refreshMs);
      await this.#pause(this.#refreshMs);
    }
  }

  async #refresh(sources: RoutingDataSource<System>): Promise<void> {
    const systems = new Map((await sources.listStoredPhoneSystems()).map((system) => [system.id, system]));
    for (const id of this.#phoneSystems.keys()) if (!systems.has(id)) this.#isChanged = this.#phoneSystems.delete(id);
    for (const system of systems.values()) this.putPhoneSystem(system);
    let after: string | undefined = "";
    while (after !== undefined && !this.#stop.signal.aborted) {
      const start = performance.now();
      const routes: readonly CallRoute[] = await sources.listCallRoutes(after, PAGE_SIZE);
      for (const route of routes) this.#refreshRoute(route);
      after = routes.length < PAGE_SIZE ? undefined : routes.at(-1)?.trackingNumber;
      if (after !== undefined) await this.#pause(PAUSE_FACTOR * (performance.now() - start));
    }
  }

  /**
   * Stores a route that changed in the database. An unchanged route keeps its position in the order of use, so that a full cache keeps the routes of
   * the latest calls.
   */
  #refreshRoute(route: CallRoute): void {
    const json = formatRoute(route);
    const before = this.#routes.peek(route.trackingNumber);
    if (before === json || (before === undefined && this.#routes.size === this.#routes.maxSize)) return;
    this.#set(route.trackingNumber, json);
  }

  #set(trackingNumber: string, json: string): void {
    this.#routes.set(trackingNumber, json);
    this.#isChanged = true;
  }

  /**
   * Stores a value from the file unless the cache has a value for the same key. A call may have stored a newer value since the cache began to load.
   */
  #loadLine(line: string): void {
    const { trackingNumber, id } = JSON.parse(line) as { readonly trackingNumber?: string; readonly id: string };
    if (trackingNumber === undefined) {
      if (!this.#phoneSystems.has(id)) this.#phoneSystems.set(id, parsePhoneSystem(line));
    } else if (!this.#routes.has(trackingNumber)) this.#routes.set(trackingNumber, line);
  }

  /** @param minAgeMs a file that another process saved less than this time ago is kept. */
  async #save(minAgeMs: number): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined || !this.#isChanged) return;
    this.#isChanged = false;
    // The routes of the latest calls come last, so that loading the file restores the order of the cache.
    const lines = Array.from(this.#phoneSystems.values(), formatPhoneSystem);
    this.#routes.rforEach((json) => lines.push(json));
    let isSaved = false;
    await this.#attempt("the last known routes of calls cannot be saved in DATA_DIR", async () => {
      isSaved = await writeRoutingCacheFile(folder, lines, minAgeMs);
    });
    if (!isSaved) this.#isChanged = true;
  }

  async #attempt(failure: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.#failing.delete(failure);
    } catch (error) {
      if (!this.#failing.has(failure)) this.#log.warn({ err: error }, failure);
      this.#failing.add(failure);
    }
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { ref: false, signal: this.#stop.signal }).catch(() => {});
  }
}

/** A field that only earlier releases read: it tells them not to dial the fallback number. */
interface EarlierRoute {
  readonly isFallbackTracked?: boolean;
}

function formatRoute(route: CallRoute): string {
  const { flow, trackedNumbers } = route;
  const isFallbackTracked = trackedNumbers.some((number) => number === flow.fallbackNumber);
  const earlier: EarlierRoute = isFallbackTracked ? { isFallbackTracked } : {};
  return JSON.stringify({ ...route, ...earlier, flow: toJson(CallFlowSettingsSchema, flow) });
}

/** A route that an earlier release saved lacks some fields. */
type StoredRoute = Omit<CallRoute, "isReleased" | "trackedNumbers" | "flow"> & { readonly flow: JsonValue };

/** A file from a later release may contain unknown settings. */
const NEWER = { ignoreUnknownFields: true };

function parseRoute(json: string): CallRoute {
  const { isFallbackTracked, ...route } = JSON.parse(json) as StoredRoute & EarlierRoute;
  const flow = fromJson(CallFlowSettingsSchema, route.flow, NEWER);
  const trackedNumbers = isFallbackTracked && flow.fallbackNumber !== undefined ? [flow.fallbackNumber] : [];
  // A file from an earlier release does not tell whether a number is released. Most numbers are not.
  return { isReleased: false, trackedNumbers, ...route, flow };
}

function formatPhoneSystem(system: PhoneSystemRules): string {
  return JSON.stringify({ ...system, capabilities: [...system.capabilities] });
}

function parsePhoneSystem<System extends PhoneSystemRules>(json: string): System {
  const system = JSON.parse(json);
  // A file from an earlier release has no allowed SIP hosts.
  return { allowedSipHosts: [], ...system, capabilities: new Set(system.capabilities) };
}
