import { setTimeout as pause } from "node:timers/promises";
import { isDatabaseUnavailable } from "@calltrack/postgres";
import type { Logger } from "pino";
import { describeEvents } from "../api/events/describe-events.js";
import { findEvents, readEventLogState } from "../api/events/event-repository.js";
import type { EventDatabaseAccess } from "../api/events/event-resource-statements.js";
import { decryptPhoneSystemSecrets } from "../api/phone-systems/phone-system-credentials.js";
import type { PhoneSystemContext } from "../api/phone-systems/phone-system-view.js";
import type { WebhookEndpointKey } from "../api/webhook-endpoints/webhook-endpoint-row.js";
import { ABSENT_ACCOUNT_ID } from "../database/idempotency/idempotency-key.js";
import { createDeliveryRequest } from "./delivery-request.js";
import {
  claimEndpointStatement,
  disableEndpointStatement,
  type LeasedEndpoint,
  listWaitingDeliveriesStatement,
  releaseEndpointStatement,
  storeAttemptResultsStatement,
  storeEndpointHealthStatement,
  type WaitingDelivery,
} from "./delivery-statements.js";
import { enqueueEvents } from "./enqueue-events.js";
import {
  createAttemptResult,
  createUnsentAttemptOutcome,
  type FinishedAttempt,
  listFailedAttemptResponses,
  type ReadyDelivery,
} from "./finished-attempt.js";
import { RETRY_SPAN_MS } from "./retry-schedule.js";
import { storeResponseBodies } from "./store-response-bodies.js";
import { ATTEMPT_TIMEOUT_MS, type WebhookAttemptOutcome, type WebhookClient } from "./webhook-client.js";
import type { DeliveryObserver } from "./webhook-metrics.js";

/** The dependencies that all endpoint senders of a process share. */
export interface EndpointSenderDependencies {
  readonly database: EventDatabaseAccess;
  readonly client: WebhookClient;
  readonly phoneSystems: PhoneSystemContext;
  readonly observe: DeliveryObserver;
  readonly log: Logger;
  /** Identifies the process in leases. */
  readonly sender: string;
  /** Returns the position up to which the process has read the log. */
  logEnd(): bigint;
  /** Aborts when the process stops: no further attempts begin. */
  readonly stop: AbortSignal;
  /** Aborts a moment after `stop`, which ends the attempts in progress. */
  readonly abort: AbortSignal;
}

/** After this time, other servers take over the endpoints of a server that died. */
const LEASE_MS = 30_000;

/** A lease that ends within this time is renewed. Longer than an attempt, because no attempt may outlive the lease. */
const RENEW_MS = 22_000;

/** An endpoint without work keeps its lease for this time. */
const IDLE_MS = 5_000;

/** Pause after an error, for example while the database is unavailable. */
const RETRY_MS = 500;

const BATCH = 100;

const OVERLOADED_STATUSES: readonly (number | undefined)[] = [429, 502, 504];

const GONE_STATUS = 410;

/**
 * Sends the events of one endpoint while it holds the lease: creates deliveries for new events, sends due deliveries, and stores the
 * results of all finished attempts in one statement.
 */
export class EndpointSender {
  readonly #parts: EndpointSenderDependencies;
  readonly #key: WebhookEndpointKey;
  #endpoint: LeasedEndpoint | undefined;
  #logId: string | undefined;
  /** When the lease ends, in `performance.now()` time. */
  #leaseEnd = 0;
  #isRefreshWanted = false;
  #ready: ReadyDelivery[] = [];
  readonly #inFlight = new Set<string>();
  #finished: FinishedAttempt[] = [];
  /** When waiting deliveries must be read again, in `performance.now()` time. */
  #readAt = 0;
  /** The limit of concurrent requests. It is below the endpoint's `concurrency` while the receiver is overloaded. */
  #allowed = Number.POSITIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  /** Whether there may be new events that the sender has not read. */
  #isWoken = false;
  #isEnding = false;

  constructor(parts: EndpointSenderDependencies, key: WebhookEndpointKey) {
    this.#parts = parts;
    this.#key = key;
  }

  /** Whether the sender no longer looks for events. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake.resolve();
  }

  /** Reads the endpoint and its deliveries again at once, because a request has changed them. */
  refresh(): void {
    this.#isRefreshWanted = true;
    this.#readAt = 0;
    this.wake();
  }

  /** Leases the endpoint and sends its events until there are no more. Returns false if it could not lease the endpoint. */
  async run(): Promise<boolean> {
    if (!(await this.#claim())) return false;
    let idleSince = performance.now();
    while (!this.#parts.stop.aborted) {
      const woken = this.#wake.promise;
      try {
        if (!(await this.#work())) break;
      } catch (error) {
        const level = isDatabaseUnavailable(error) ? "warn" : "error";
        this.#parts.log[level](
          { err: error, webhookEndpoint: this.#key.id },
          "deliveries to a webhook endpoint failed: retrying soon",
        );
        await pause(RETRY_MS);
        continue;
      }
      const now = performance.now();
      if (!this.#isIdle()) idleSince = now;
      else if (now - idleSince >= IDLE_MS && !this.#isWoken) break;
      await this.#rest(woken, idleSince + IDLE_MS - now);
    }
    this.#isEnding = true;
    await this.#finish();
    return true;
  }

  /** Stores results, creates deliveries and starts attempts. Returns whether the endpoint is still leased. */
  async #work(): Promise<boolean> {
    this.#isWoken = false;
    await this.#store();
    const isRenewalDue = this.#leaseEnd - performance.now() < RENEW_MS;
    if ((isRenewalDue || this.#isRefreshWanted) && !(await this.#claim())) return false;
    await this.#refill();
    await this.#start();
    return true;
  }

  async #claim(): Promise<boolean> {
    this.#isRefreshWanted = false;
    const until = performance.now() + LEASE_MS;
    const [endpoint] = await claimEndpointStatement(this.#parts.database.db, {
      ...this.#key,
      sender: this.#parts.sender,
      leaseMs: LEASE_MS,
    });
    this.#endpoint = endpoint;
    if (endpoint === undefined) return false;
    this.#leaseEnd = until;
    // The statement may have replaced the time at which a request made the endpoint due.
    this.#readAt = 0;
    return true;
  }

  /** If too few deliveries are ready, creates deliveries for new events and reads due deliveries. */
  async #refill(): Promise<void> {
    const endpoint = this.#endpoint as LeasedEndpoint;
    if (this.#ready.length >= endpoint.concurrency) return;
    const end = this.#parts.logEnd();
    if (BigInt(endpoint.position) < end) {
      const enqueued = await enqueueEvents(this.#parts.database, this.#parts.sender, endpoint, end);
      if (enqueued === undefined) this.#isRefreshWanted = true;
      else {
        this.#endpoint = { ...endpoint, position: enqueued.position };
        // Skips deliveries that are already in flight or ready, such as those of events that are delivered again.
        const known = new Set([...this.#inFlight, ...this.#ready.map(({ position }) => position)]);
        const due = enqueued.due.filter(({ position }) => !known.has(position));
        this.#ready.push(...due.map((row) => ({ position: row.position, attempts: 0, row })));
      }
    }
    if (performance.now() < this.#readAt) return;
    const except = [...this.#inFlight, ...this.#ready.map(({ position }) => position)];
    const waiting = await listWaitingDeliveriesStatement(this.#parts.database.db, {
      ...this.#key,
      except,
      limit: BATCH,
    });
    // If the endpoint is no longer `ordered`, deliveries that waited for an earlier event are due.
    const isDue = ({ wait_ms }: WaitingDelivery) => (wait_ms === null ? !endpoint.ordered : wait_ms <= 0);
    const due = waiting.filter(isDue);
    this.#ready.push(...due);
    const next = waiting.find((delivery) => !isDue(delivery))?.wait_ms;
    if (due.length < BATCH) this.#readAt = performance.now() + (next ?? Number.POSITIVE_INFINITY);
  }

  /** Starts as many attempts as the limits allow. Reads the events just before they are sent. */
  async #start(): Promise<void> {
    const { database, stop } = this.#parts;
    const { db } = database;
    const endpoint = this.#endpoint as LeasedEndpoint;
    const isEnding = this.#leaseEnd - performance.now() < ATTEMPT_TIMEOUT_MS;
    if (stop.aborted || isEnding || this.#retryAfterMs() > 0) return;
    const free = Math.min(endpoint.concurrency, this.#allowed) - this.#inFlight.size;
    const deliveries = this.#ready.splice(0, Math.max(0, free));
    if (deliveries.length === 0) return;
    for (const { position } of deliveries) this.#inFlight.add(position);
    try {
      const accountId = endpoint.account_id === ABSENT_ACCOUNT_ID ? undefined : endpoint.account_id;
      const unread = deliveries.flatMap(({ position, row }) => (row === undefined ? position : []));
      const read = await findEvents(db, accountId, unread);
      const rows = [...deliveries.flatMap(({ row }) => row ?? []), ...read];
      const events = await describeEvents(database, await this.#readLogId(), rows, this.#parts.phoneSystems);
      const places = new Map(rows.map((row, index) => [row.position, index]));
      const secrets = decryptPhoneSystemSecrets(
        this.#parts.phoneSystems.secrets,
        { id: endpoint.id, credentials: endpoint.secrets },
        new Date(),
      ).map(({ secret }) => secret);
      for (const delivery of deliveries) {
        const place = places.get(delivery.position) ?? -1;
        const [row, event] = [rows[place], events[place]];
        const request = event && createDeliveryRequest(event, endpoint.payload, secrets);
        void this.#attempt({ ...delivery, row }, endpoint.url, request);
      }
    } catch (error) {
      for (const { position } of deliveries) this.#inFlight.delete(position);
      this.#ready.unshift(...deliveries);
      throw error;
    }
  }

  /** Reads the id of the log once, because it never changes. */
  async #readLogId(): Promise<string> {
    this.#logId ??= (await readEventLogState(this.#parts.database.db)).logId;
    return this.#logId;
  }

  async #attempt(
    attempt: ReadyDelivery,
    url: string,
    request: ReturnType<typeof createDeliveryRequest> | undefined,
  ): Promise<void> {
    const { client, abort, observe } = this.#parts;
    const begin = performance.now();
    try {
      const sent = typeof request === "object" ? request : undefined;
      const answer = sent
        ? await client.post(url, sent.headers, sent.body, abort)
        : createUnsentAttemptOutcome(typeof request === "string" ? request : "the event has expired");
      this.#finished.push({ ...attempt, url, answer, updatedAt: sent?.updatedAt });
      if (sent !== undefined) {
        this.#adapt(answer);
        observe(answer.failure === undefined ? "delivered" : "failed", (performance.now() - begin) / 1000);
      }
    } catch {
      // The process is stopping: another process repeats the attempt.
      this.#inFlight.delete(attempt.position);
    }
    this.wake();
  }

  /** Halves the limit of concurrent requests if the receiver is overloaded, and raises it by one for each accepted request. */
  #adapt({ status, failure }: WebhookAttemptOutcome): void {
    const { concurrency } = this.#endpoint ?? { concurrency: 1 };
    const current = Math.min(this.#allowed, concurrency);
    if (OVERLOADED_STATUSES.includes(status)) this.#allowed = Math.max(1, Math.floor(current / 2));
    else if (failure === undefined) this.#allowed = current + 1;
  }

  async #store(): Promise<void> {
    const { observe } = this.#parts;
    const { db } = this.#parts.database;
    const finished = [...this.#finished];
    if (finished.length === 0) return;
    const results = finished.map(createAttemptResult);
    const rows = await storeAttemptResultsStatement(db, { ...this.#key, results: JSON.stringify(results) });
    const stored = new Set(rows.map(({ position }) => position));
    this.#finished.splice(0, finished.length);
    for (const { position } of finished) this.#inFlight.delete(position);
    for (const { position, status } of results) if (status === "dead" && stored.has(position)) observe("dead");
    const waits = results.flatMap(({ wait_ms }) => wait_ms ?? []);
    // If the endpoint is ordered, the results may have made the next events of the same subjects due. Deliveries whose results are not stored are due.
    if (this.#endpoint?.ordered || stored.size < results.length) waits.push(0);
    this.#readAt = Math.min(this.#readAt, ...waits.map((ms) => performance.now() + ms));
    const kept = finished.filter(({ position }) => stored.has(position));
    await storeResponseBodies(db, this.#key, kept.flatMap(listFailedAttemptResponses));
    await this.#storeHealth(finished);
  }

  /** Ignores requests to an earlier URL of the endpoint, which say nothing about its current receiver. */
  async #storeHealth(finished: readonly FinishedAttempt[]): Promise<void> {
    const { db } = this.#parts.database;
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    const answers = finished.flatMap(({ url, answer }) => (answer.isUnsent || url !== endpoint.url ? [] : answer));
    if (answers.length === 0) return;
    const hasDelivered = answers.some(({ failure }) => failure === undefined);
    const retryAfterMs = Math.max(...answers.map((answer) => answer.retryAfterMs));
    const isFailing = !hasDelivered;
    if (isFailing !== (endpoint.failing_since !== null) || retryAfterMs > 0) {
      const [row] = await storeEndpointHealthStatement(db, {
        ...{ ...this.#key, url: endpoint.url },
        failingSince: isFailing ? (endpoint.failing_since ?? new Date()) : null,
        retryAfter: retryAfterMs > 0 ? new Date(Date.now() + retryAfterMs) : null,
      });
      if (row !== undefined) this.#endpoint = { ...endpoint, ...row };
    }
    if (answers.some(({ status }) => status === GONE_STATUS))
      return this.#disable(endpoint.url, "the receiver answered 410 Gone");
    const failingMs = Date.now() - (this.#endpoint?.failing_since?.getTime() ?? Date.now());
    if (isFailing && failingMs >= RETRY_SPAN_MS)
      await this.#disable(endpoint.url, "the receiver accepted no request for three days");
  }

  async #disable(url: string, reason: string): Promise<void> {
    this.#isRefreshWanted = true;
    const [disabled] = await disableEndpointStatement(this.#parts.database.db, { ...this.#key, url, reason });
    if (disabled === undefined) return;
    this.#parts.log.warn({ webhookEndpoint: this.#key.id, reason }, "a webhook endpoint was disabled");
  }

  #retryAfterMs(): number {
    return (this.#endpoint?.retry_after?.getTime() ?? 0) - Date.now();
  }

  #isIdle(): boolean {
    return this.#inFlight.size === 0 && (this.#ready.length === 0 || this.#retryAfterMs() > IDLE_MS);
  }

  /** Pauses until `wake` is called or the next scheduled work is due. */
  async #rest(woken: Promise<void>, idleMs: number): Promise<void> {
    const now = performance.now();
    const retryAfterMs = this.#retryAfterMs();
    const waits = [this.#leaseEnd - RENEW_MS - now, this.#readAt - now];
    if (retryAfterMs > 0) waits.push(retryAfterMs);
    if (this.#isIdle()) waits.push(idleMs);
    const canStart = retryAfterMs <= 0 && this.#ready.length > 0;
    const isFull = this.#inFlight.size >= Math.min(this.#endpoint?.concurrency ?? 1, this.#allowed);
    if (this.#isRefreshWanted || (canStart && !isFull)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(1, Math.min(...waits)));
    await Promise.race([woken, promise]);
    clearTimeout(timer);
    this.#wake = Promise.withResolvers();
  }

  async #finish(): Promise<void> {
    while (this.#inFlight.size > this.#finished.length) {
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
    await this.#store();
    // After a stop, another process continues with the aborted attempts, and with the events that this process has not read.
    const isDue = this.#parts.stop.aborted || this.#ready.length > 0;
    const waitMs = Math.max(isDue ? 0 : this.#readAt - performance.now(), this.#retryAfterMs());
    await releaseEndpointStatement(this.#parts.database.db, {
      ...this.#key,
      sender: this.#parts.sender,
      dueAt: Number.isFinite(waitMs) ? new Date(Date.now() + Math.max(0, waitMs)) : "infinity",
    });
  }
}
