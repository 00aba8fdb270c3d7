import { type EventType, expandEventTypes } from "@calltrack/domain";
import type { EventRow } from "../api/events/event-repository.js";
import { ABSENT_ACCOUNT_ID } from "../database/idempotency/idempotency-key.js";
import type { ActiveEndpoint } from "./delivery-statements.js";
import { EndpointSender, type EndpointSenderDependencies } from "./endpoint-sender.js";

/** Time between attempts to lease an endpoint that another process has leased. */
const COOL_DOWN_MS = 5000;

/** Runs the sender of an active endpoint while there are events to send and no other process has leased the endpoint. */
export class EndpointDispatcher {
  readonly #parts: EndpointSenderDependencies;
  readonly #accountId: number;
  readonly #id: string;
  #types: ReadonlySet<EventType> | undefined;
  /** The end of the event log when `wake` was last called; before the first call, the endpoint's stored position. */
  #seen: bigint;
  #sender: EndpointSender | undefined;
  #running: Promise<void> | undefined;
  /** Set for `COOL_DOWN_MS` after another process turned out to hold the lease, and after an error. */
  #coolDown: NodeJS.Timeout | undefined;
  /** Whether there may be events that no sender was notified of. */
  #isWanted = false;

  constructor(parts: EndpointSenderDependencies, endpoint: ActiveEndpoint) {
    this.#parts = parts;
    this.#accountId = endpoint.account_id;
    this.#id = endpoint.id;
    this.#seen = BigInt(endpoint.position);
    this.update(endpoint);
  }

  /** By how many positions the endpoint may lag behind the end of the log. */
  lag(end: bigint): bigint {
    return end - this.#seen;
  }

  /** Whether this process sends to the endpoint. */
  get isSending(): boolean {
    return this.#sender !== undefined;
  }

  /** Applies the current event types of the endpoint. */
  update({ types }: Pick<ActiveEndpoint, "types">): void {
    const expanded = expandEventTypes(types);
    this.#types = expanded && new Set(expanded);
  }

  wants({ account_id, type }: EventRow): boolean {
    const isOfAccount = this.#accountId === ABSENT_ACCOUNT_ID || this.#accountId === account_id;
    return isOfAccount && (this.#types === undefined || this.#types.has(type));
  }

  /** Looks for events to send, unless another process has leased the endpoint. */
  wake(): void {
    this.#seen = this.#parts.logEnd();
    this.#use((sender) => sender.wake());
  }

  /**
   * Makes the sender read the endpoint and its deliveries again. Call this method instead of `wake` after a request has changed the endpoint or a
   * delivery.
   */
  refresh(): void {
    this.#use((sender) => sender.refresh());
  }

  /** Resolves when the sender has stopped. Call this method after the signal `EndpointSenderDependencies.stop` has aborted. */
  async stop(): Promise<void> {
    clearTimeout(this.#coolDown);
    this.#isWanted = false;
    this.#sender?.wake();
    await this.#running;
  }

  /** Resolves when no sender runs. */
  async whenIdle(): Promise<void> {
    while (this.#sender !== undefined) await this.#running;
  }

  #use(tell: (sender: EndpointSender) => void): void {
    if (this.#sender?.isEnding === false) tell(this.#sender);
    else if (this.#sender !== undefined || this.#coolDown !== undefined) this.#isWanted = true;
    else if (!this.#parts.stop.aborted) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const sender = new EndpointSender(this.#parts, { accountId: this.#accountId, id: this.#id });
    this.#sender = sender;
    this.#isWanted = false;
    try {
      if (!(await sender.run())) this.#cool();
    } catch (error) {
      this.#parts.log.warn(
        { err: error, webhookEndpoint: this.#id },
        "deliveries to a webhook endpoint stopped: retrying soon",
      );
      this.#isWanted = true;
      this.#cool();
    }
    this.#sender = undefined;
    if (this.#isWanted && this.#coolDown === undefined) this.#use(() => {});
  }

  /**
   * Does not try to lease the endpoint for `COOL_DOWN_MS`. Then tries again if events arrived during this time, because the other process with the
   * lease may have died before it read them.
   */
  #cool(): void {
    this.#coolDown = setTimeout(() => {
      this.#coolDown = undefined;
      if (this.#isWanted) this.#use(() => {});
    }, COOL_DOWN_MS);
    this.#coolDown.unref();
  }
}
