import type { HttpLimits } from "../../config/http-limits.js";
import { SizeClasses } from "./size-classes.js";

/** The client that sends a request body, and the function that drops the body. */
export interface PendingBody {
  /** The IPv4 address or IPv6 network of the client; see `toClientNetwork`. */
  readonly address: string;
  /** Rejects the request and discards its body. Called after the body is released from the budget. */
  readonly drop: () => void;
}

interface Body extends PendingBody {
  readonly client: Client;
  received: number;
  accepted: number;
  /** Bytes that count against the budget: received from the client, but not accepted by the handler. */
  bytes: number;
}

/** The pending bodies from one client address. */
interface Client {
  readonly address: string;
  count: number;
  readonly bodies: SizeClasses<Body>;
  bytes: number;
}

/**
 * Limits the memory for request bodies that no handler has accepted yet, in total and per client address.
 *
 * If a limit is exceeded, drops a large body from a client with many pending bytes, so that small requests from other clients continue. That client
 * has at least half as many pending bytes as any other client. The dropped body has at least half as many bytes as the largest body of that client.
 * The search takes constant time.
 *
 * The key of a body is its request.
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

  /** Total bytes of all bodies that no handler has accepted yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Records that `bytes` bytes of a body have arrived in total. If a limit is exceeded, drops bodies, possibly the body of `key`. Calls `ownerOf`
   * once per body.
   */
  receive<K extends object>(key: K, bytes: number, ownerOf: (key: K) => PendingBody): void {
    const body = this.#bodies.get(key) ?? this.#open(key, ownerOf(key));
    body.received = bytes;
    this.#resize(body, Math.max(0, bytes - body.accepted));
    if (this.#bytes > this.#maxBytes || body.client.bytes > this.#maxBytesPerAddress) this.#enforceLimits(body.client);
  }

  /** Stops counting the first `bytes` bytes of a body, which its handler has accepted. Default: all bytes received so far. */
  accept(key: object, bytes?: number): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    body.accepted = bytes ?? body.received;
    this.#resize(body, Math.max(0, body.received - body.accepted));
  }

  /** Stops counting a body. Does nothing if the body is not counted. */
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

  #open(key: object, { address, drop }: PendingBody): Body {
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
