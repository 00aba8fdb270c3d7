import { type EventType, expandEventTypes } from "@calltrack/domain";
import type { EventRow } from "../api/events/event-repository.js";
import { NO_ACCOUNT } from "../database/idempotency/request-key.js";
import type { ActiveEndpoint } from "./delivery-statements.js";
import { EndpointSender, type SenderParts } from "./endpoint-sender.js";

/** How often a process tries to lease an endpoint that another one has leased. */
const COOL_DOWN_MS = 5000;

/** An active endpoint that a process knows, and its sender while this process has leased it. */
export class KnownEndpoint {
  readonly #parts: SenderParts;
  readonly #accountId: number;
  readonly #id: string;
  #types: ReadonlySet<EventType> | undefined;
  /** The position up to which the endpoint was looked after. */
  #seen: bigint;
  #sender: EndpointSender | undefined;
  #running: Promise<void> | undefined;
  /** Another process had leased it a moment ago; undefined if not. */
  #coolDown: NodeJS.Timeout | undefined;
  /** Whether there is something to send that no sender was told of. */
  #isWanted = false;

  constructor(parts: SenderParts, endpoint: ActiveEndpoint) {
    this.#parts = parts;
    this.#accountId = endpoint.account_id;
    this.#id = endpoint.id;
    this.#seen = BigInt(endpoint.position);
    this.update(endpoint);
  }

  /** How many positions of the log the endpoint may lag behind. */
  lag(end: bigint): bigint {
    return end - this.#seen;
  }

  /** Whether a process sends to it. */
  get isSending(): boolean {
    return this.#sender !== undefined;
  }

  /** Takes over a change of the types of events. */
  update({ types }: Pick<ActiveEndpoint, "types">): void {
    const expanded = expandEventTypes(types);
    this.#types = expanded && new Set(expanded);
  }

  /** Whether an event is for the endpoint. */
  wants({ account_id, type }: EventRow): boolean {
    const isOfAccount = this.#accountId === NO_ACCOUNT || this.#accountId === account_id;
    return isOfAccount && (this.#types === undefined || this.#types.has(type));
  }

  /** Looks for events to send, unless another process does. */
  wake(): void {
    this.#seen = this.#parts.logEnd();
    this.#use((sender) => sender.wake());
  }

  /** Like `wake`, after a request has changed the endpoint or a delivery. */
  refresh(): void {
    this.#use((sender) => sender.refresh());
  }

  /** Resolves when the sender has stopped. The process must be stopping. */
  async stop(): Promise<void> {
    clearTimeout(this.#coolDown);
    this.#isWanted = false;
    this.#sender?.wake();
    await this.#running;
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
      this.#parts.log.warn({ err: error, webhookEndpoint: this.#id }, "deliveries stopped: retrying soon");
      this.#isWanted = true;
      this.#cool();
    }
    this.#sender = undefined;
    if (this.#isWanted && this.#coolDown === undefined) this.#use(() => {});
  }

  /** Leaves the endpoint to the other process for a while. If there are events meanwhile, that process may have died before it saw them. */
  #cool(): void {
    this.#coolDown = setTimeout(() => {
      this.#coolDown = undefined;
      if (this.#isWanted) this.#use(() => {});
    }, COOL_DOWN_MS);
    this.#coolDown.unref();
  }
}
