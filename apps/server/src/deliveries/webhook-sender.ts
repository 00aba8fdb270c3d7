import { randomUUID } from "node:crypto";
import { EVENT_TYPES } from "@calltrack/domain";
import type { EventFeed, FeedReadResult } from "../api/events/event-feed.js";
import type { EventRow } from "../api/events/event-repository.js";
import { NIL_UUID } from "../database/page.js";
import {
  type ActiveEndpoint,
  findActiveEndpointStatement,
  findDueEndpointsStatement,
  listActiveEndpointsStatement,
} from "./delivery-statements.js";
import { EndpointDispatcher } from "./endpoint-dispatcher.js";
import type { EndpointSenderDependencies } from "./endpoint-sender.js";

const BATCH = 1000;

/** If an endpoint lags further behind the log, its sender stores a newer position, so that a restarted server rereads few events. */
const MAX_LAG = 10_000n;

/** Time for attempts in progress when the process stops. After that, they are aborted, and another process repeats them. */
const STOP_MS = 700;

const ENDPOINT_TYPES = EVENT_TYPES.filter((type) => type.startsWith("webhook_endpoint."));

/**
 * Sends events to webhook endpoints, together with other processes on the same database: each endpoint is leased by one of them at a time.
 * Follows the event log, which also announces new and changed endpoints.
 */
export class WebhookSender {
  readonly #parts: EndpointSenderDependencies;
  readonly #feed: EventFeed;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  /** The dispatchers of all active endpoints, keyed by account id and endpoint id. */
  readonly #known = new Map<string, EndpointDispatcher>();
  /** The dispatchers of inactive and deleted endpoints whose senders have not ended yet. */
  readonly #leaving = new Set<EndpointDispatcher>();
  /** Whether `#known` contains all active endpoints, as of the last reading of the log. */
  #isLoaded = false;
  #unsubscribe = () => {};

  constructor(parts: Omit<EndpointSenderDependencies, "sender" | "stop" | "abort" | "logEnd">, feed: EventFeed) {
    this.#feed = feed;
    const [stop, abort] = [this.#stop.signal, this.#abort.signal];
    this.#parts = { ...parts, sender: randomUUID(), stop, abort, logEnd: () => feed.end };
  }

  start(): void {
    this.#unsubscribe = this.#feed.subscribe({
      types: () => (this.#isLoaded && this.#known.size === 0 ? ENDPOINT_TYPES : undefined),
      onReading: (reading) => this.#follow(reading),
    });
  }

  /** Leaves the endpoints to other processes. Aborts attempts that are still in progress after `STOP_MS`. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stop.abort();
    const timer = setTimeout(() => this.#abort.abort(), STOP_MS);
    await Promise.all(Array.from(this.#known.values(), (endpoint) => endpoint.stop()));
    clearTimeout(timer);
    this.#parts.client.close();
  }

  async #follow({ rows, hasDueEndpoints }: FeedReadResult): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const wasLoaded = this.#isLoaded;
    // Stays false if a statement in this method fails, so that the next call reads all endpoints again.
    this.#isLoaded = false;
    if (wasLoaded) await this.#readChanged(rows);
    else await this.#loadAll();
    if (hasDueEndpoints) await this.#lookAfterDue();
    this.#isLoaded = true;
    const end = this.#feed.end;
    for (const endpoint of this.#known.values()) {
      const isBehind = endpoint.lag(end) > (wasLoaded ? MAX_LAG : 0n);
      if (isBehind || rows.some((row) => endpoint.wants(row))) endpoint.wake();
    }
  }

  async #loadAll(): Promise<void> {
    const keys = new Set<string>();
    for (let [accountId, after] = [-1, NIL_UUID]; ; ) {
      const rows = await listActiveEndpointsStatement(this.#parts.database.db, { accountId, after, limit: BATCH });
      for (const row of rows) keys.add(this.#learn(row));
      const last = rows[BATCH - 1];
      if (last === undefined) break;
      [accountId, after] = [last.account_id, last.id];
    }
    for (const [key, endpoint] of this.#known) if (!keys.has(key)) this.#forget(key, endpoint);
  }

  async #readChanged(rows: readonly EventRow[]): Promise<void> {
    const changed = new Map(
      rows.filter(changesEndpoint).map((row) => [keyOf(row.account_id, row.resource_id ?? ""), row]),
    );
    for (const [key, { account_id: accountId, resource_id }] of changed) {
      const [row] = await findActiveEndpointStatement(this.#parts.database.db, { accountId, id: resource_id ?? "" });
      const before = this.#known.get(key);
      if (row !== undefined) this.#known.get(this.#learn(row))?.refresh();
      else if (before !== undefined) this.#forget(key, before);
    }
  }

  /** Refreshes endpoints whose sender has died, whose next attempt is due, or that a request has changed. */
  async #lookAfterDue(): Promise<void> {
    for (const row of await findDueEndpointsStatement(this.#parts.database.db, { limit: BATCH })) {
      const endpoint = this.#known.get(this.#learn(row));
      if (endpoint?.isSending || !row.is_leased) endpoint?.refresh();
    }
  }

  /** Adds or updates an active endpoint. Returns its key in `#known`. */
  #learn(row: ActiveEndpoint): string {
    const key = keyOf(row.account_id, row.id);
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, new EndpointDispatcher(this.#parts, row));
    else {
      this.#leaving.delete(known);
      known.update(row);
    }
    return key;
  }

  /** Removes the dispatcher after its sender has ended. If the endpoint is resumed before that, a second sender would use the same lease. */
  #forget(key: string, endpoint: EndpointDispatcher): void {
    this.#leaving.add(endpoint);
    // The refresh lets the sender notice that the endpoint is inactive or deleted.
    if (endpoint.isSending) endpoint.refresh();
    void endpoint.whenIdle().then(() => {
      if (this.#leaving.delete(endpoint)) this.#known.delete(key);
    });
  }
}

function keyOf(accountId: number, id: string): string {
  return `${accountId},${id}`;
}

function changesEndpoint({ type }: EventRow): boolean {
  return type.startsWith("webhook_endpoint.") && type !== "webhook_endpoint.test";
}
