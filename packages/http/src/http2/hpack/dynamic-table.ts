/** Bytes that each entry counts in addition to its name and value (RFC 7541 section 4.1). */
const ENTRY_OVERHEAD = 32;

/** The size of a field in a dynamic table and in a header list (RFC 9113 section 6.5.2). Names and values must be Latin-1. */
export function fieldSize(name: string, value: string): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** The dynamic table of a decoder (RFC 7541 section 2.3.2). The newest entry has the index 1. */
export class DynamicTable {
  #maxSize: number;
  #size = 0;
  /** Alternates names and values, the newest last. Entries before `#first` are evicted. */
  #fields: string[] = [];
  #first = 0;
  /** Increases with every change of the table. */
  version = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get count(): number {
    return (this.#fields.length - this.#first) / 2;
  }

  name(index: number): string {
    return this.#fields[this.#fields.length - 2 * index] as string;
  }

  value(index: number): string {
    return this.#fields[this.#fields.length - 2 * index + 1] as string;
  }

  /** Adds a field, evicting the oldest entries to make room. A field that is larger than the table only empties it. */
  add(name: string, value: string): void {
    const size = fieldSize(name, value);
    this.#evict(this.#maxSize - size);
    if (size <= this.#maxSize) {
      this.#fields.push(name, value);
      this.#size += size;
    }
    this.version += 1;
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize;
    this.#evict(maxSize);
    this.version += 1;
  }

  #evict(size: number): void {
    while (this.#size > Math.max(size, 0)) {
      this.#size -= fieldSize(this.#fields[this.#first] as string, this.#fields[this.#first + 1] as string);
      // Free the memory of evicted entries.
      this.#fields[this.#first++] = "";
      this.#fields[this.#first++] = "";
    }
    if (this.#first < 256) return;
    this.#fields = this.#fields.slice(this.#first);
    this.#first = 0;
  }
}
