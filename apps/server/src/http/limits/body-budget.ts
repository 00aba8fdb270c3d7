import type { HttpLimits } from "../../config/http-limits.js";
import { SizeClasses } from "./size-classes.js";

/** The client that a body comes from, and a way to drop the body. */
export interface BodyOwner {
  /** The client's address; see `networkOf`. */
  readonly address: string;
  /** Drops the body. Called after the body is released from the budget. */
  readonly drop: () => void;
}

interface Body extends BodyOwner {
  readonly client: Client;
  received: number;
  accepted: number;
  /** Bytes that count against the budget: those received and not accepted. */
  bytes: number;
}

/** The bodies from one address. */
interface Client {
  readonly address: string;
  count: number;
  readonly bodies: SizeClasses<Body>;
  bytes: number;
}

/**
 * Limits the memory of request bodies that no handler has accepted yet, in total and per address. Beyond a limit, it drops a large body
 * from a client with many bytes, so that small requests from other clients continue. No other client, and no other body from that client,
 * has more than twice as many bytes. The time to find the body does not depend on the number of bodies. The key of a body is its request.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #maxBytesPerAddress: number;
  readonly #bodies = new Map<object, Body>();
  readonly #clients = new Map<string, Client>();
  readonly #clientsBySize = new SizeClasses<Client>();
  #bytes = 0;

  constructor(limits: Pick<HttpLimits, "maxPendingBodyBytes" | "maxPendingBodyBytesPerAddress">) {
    this.#maxBytes = limits.maxPendingBodyBytes;
    this.#maxBytesPerAddress = limits.maxPendingBodyBytesPerAddress;
  }

  /** Total bytes that no handler has accepted yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records how many bytes of a body have arrived in total. Beyond a limit, drops bodies, possibly this one. Calls `ownerOf` once per body. */
  receive<K extends object>(key: K, bytes: number, ownerOf: (key: K) => BodyOwner): void {
    const body = this.#bodies.get(key) ?? this.#open(key, ownerOf(key));
    body.received = bytes;
    this.#resize(body, Math.max(0, bytes - body.accepted));
    if (this.#bytes > this.#maxBytes || body.client.bytes > this.#maxBytesPerAddress) this.#enforceLimits(body.client);
  }

  /** Records how many bytes of a body its handler has accepted: they no longer count. Default: all bytes received so far. */
  accept(key: object, bytes?: number): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    body.accepted = bytes ?? body.received;
    this.#resize(body, Math.max(0, body.received - body.accepted));
  }

  /** Stops counting a body. Does nothing if it is not counted. */
  release(key: object): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    this.#bodies.delete(key);
    this.#resize(body, 0);
    const { client } = body;
    client.bodies.remove(body);
    client.count--;
    if (client.count > 0) return;
    this.#clients.delete(client.address);
    this.#clientsBySize.remove(client);
  }

  #open(key: object, { address, drop }: BodyOwner): Body {
    let client = this.#clients.get(address);
    if (client === undefined) {
      client = { address, count: 0, bodies: new SizeClasses(), bytes: 0 };
      this.#clients.set(address, client);
    }
    const releaseAndDrop = () => {
      this.release(key);
      drop();
    };
    const body: Body = { address, drop: releaseAndDrop, client, received: 0, accepted: 0, bytes: 0 };
    client.count++;
    client.bodies.place(body);
    this.#bodies.set(key, body);
    return body;
  }

  #resize(body: Body, bytes: number): void {
    const { client, bytes: before } = body;
    const added = bytes - before;
    body.bytes = bytes;
    client.bodies.place(body, before);
    client.bytes += added;
    this.#clientsBySize.place(client, client.bytes - added);
    this.#bytes += added;
  }

  #enforceLimits(client: Client): void {
    while (client.bytes > this.#maxBytesPerAddress) client.bodies.findLarge()?.drop();
    while (this.#bytes > this.#maxBytes) this.#clientsBySize.findLarge()?.bodies.findLarge()?.drop();
  }
}
