type HeadersInit = Iterable<readonly string[]> | Readonly<Record<string, string>>;

/** A token (RFC 9110 section 5.6.2). */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Characters that would end a header value. */
const LINE_END = /[\0\r\n]/;

/**
 * The subset of the Fetch standard's `Headers` that Connect uses. The bundle uses it in place of the global class,
 * which loads all of `fetch`: that takes longer than a request.
 */
export class Headers {
  readonly #values = new Map<string, string>();

  constructor(init: HeadersInit = {}) {
    const entries = Symbol.iterator in init ? (init as Iterable<readonly string[]>) : Object.entries(init);
    for (const [name = "", value = ""] of entries) this.append(name, value);
  }

  append(name: string, value: string): void {
    const present = this.get(name);
    this.set(name, present === null ? value : `${present}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    const text = String(value).trim();
    if (!NAME.test(name) || LINE_END.test(text)) throw new TypeError(`invalid header: ${name}`);
    this.#values.set(name.toLowerCase(), text);
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this) visit(value, name);
  }

  /** Sorted by name, as the standard requires. */
  [Symbol.iterator](): Iterator<[string, string]> {
    return [...this.#values].sort(([one], [other]) => (one < other ? -1 : 1)).values();
  }
}
