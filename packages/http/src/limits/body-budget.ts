import type { HttpLimits } from "./http-limits.js";
import { SizeClasses } from "./size-classes.js";

/** Whose body it is, and how to get rid of it. */
export interface BodyOwner {
  /** The client's address; see `networkOf`. */
  readonly address: string;
  /** Lets go of the body. It counts no more by then. */
  readonly shed: () => void;
}

/** A body whose call has not begun. */
interface Body extends BodyOwner {
  readonly client: Client;
  /** How many bytes have arrived. */
  received: number;
  /** How many of them are with the call. */
  taken: number;
  /** How many count, which is the rest. */
  bytes: number;
}

/** The bodies from one address. */
interface Client {
  readonly address: string;
  readonly bodies: SizeClasses<Body>;
  count: number;
  bytes: number;
}

/**
 * Bounds the memory of request bodies whose calls have not begun, from one address and in all. Beyond a bound it sheds the largest body
 * of the client that has most: whoever fills the memory loses it, and small requests go on.
 *
 * Bodies are named by the objects that they arrive on. What arrives as a whole in one read is never counted here.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  readonly #maxBytesPerAddress: number;
  readonly #bodies = new Map<object, Body>();
  readonly #clients = new Map<string, Client>();
  readonly #bySize = new SizeClasses<Client>();
  #bytes = 0;

  constructor(limits: Pick<HttpLimits, "maxPendingBodyBytes" | "maxPendingBodyBytesPerAddress">) {
    this.#maxBytes = limits.maxPendingBodyBytes;
    this.#maxBytesPerAddress = limits.maxPendingBodyBytesPerAddress;
  }

  /** The bytes of all bodies whose calls have not begun. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes note of how many bytes of a body have arrived, and sheds bodies if that is too much, perhaps this one.
   *
   * @param ownerOf is asked once for each body.
   */
  receive<K extends object>(key: K, bytes: number, ownerOf: (key: K) => BodyOwner): void {
    const body = this.#bodies.get(key) ?? this.#open(key, ownerOf(key));
    body.received = bytes;
    this.#resize(body, Math.max(0, bytes - body.taken));
    if (this.#bytes > this.#maxBytes || body.client.bytes > this.#maxBytesPerAddress) this.#shed(body.client);
  }

  /** Takes note of how many bytes of a body are with its call. Default: all that have arrived. */
  take(key: object, bytes?: number): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    body.taken = bytes ?? body.received;
    this.#resize(body, Math.max(0, body.received - body.taken));
  }

  /** Forgets a body whose request is over. */
  release(key: object): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    this.#bodies.delete(key);
    this.#resize(body, 0);
    if (--body.client.count === 0) this.#clients.delete(body.client.address);
  }

  #open(key: object, { address, shed }: BodyOwner): Body {
    let client = this.#clients.get(address);
    if (client === undefined) {
      client = { address, bodies: new SizeClasses(), count: 0, bytes: 0 };
      this.#clients.set(address, client);
    }
    client.count++;
    const letGo = () => {
      this.release(key);
      shed();
    };
    const body: Body = { address, shed: letGo, client, received: 0, taken: 0, bytes: 0 };
    this.#bodies.set(key, body);
    return body;
  }

  #resize(body: Body, bytes: number): void {
    const { client } = body;
    const [before, sum] = [body.bytes, client.bytes];
    body.bytes = bytes;
    client.bytes += bytes - before;
    this.#bytes += bytes - before;
    client.bodies.resize(body, before, bytes);
    this.#bySize.resize(client, sum, client.bytes);
  }

  #shed(client: Client): void {
    while (client.bytes > this.#maxBytesPerAddress) shedLargest(client);
    while (this.#bytes > this.#maxBytes) shedLargest(this.#bySize.largest() as Client);
  }
}

function shedLargest({ bodies }: Client): void {
  (bodies.largest() as Body).shed();
}
