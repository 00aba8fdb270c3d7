/** What an entry takes beside its name and value (RFC 7541 section 4.1). */
const ENTRY_OVERHEAD = 32;

/** The size of a field in a table, and in a list of headers (RFC 9113 section 6.5.2). Names and values are Latin-1. */
export function fieldSize(name: string, value: string): number {
  return name.length + value.length + ENTRY_OVERHEAD;
}

/** The dynamic table of a decoder or an encoder (RFC 7541 section 2.3.2). Indices count from 1, the newest. */
export class DynamicTable {
  #maxSize: number;
  #size = 0;
  /** Names and values in turn, the newest last; those before `#first` are gone. */
  #fields: string[] = [];
  #first = 0;
  /** Counts the changes: what an index stands for is the same as long as this is. */
  version = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get maxSize(): number {
    return this.#maxSize;
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

  /** The index of a field, or 0. */
  find(name: string, value: string): number {
    for (let index = 1; index <= this.count; index++) {
      if (this.name(index) === name && this.value(index) === value) return index;
    }
    return 0;
  }

  /** Adds a field, for which the oldest make room. One that is larger than the table empties it. */
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
      // What has no place any more takes no memory either.
      this.#fields[this.#first++] = "";
      this.#fields[this.#first++] = "";
    }
    if (this.#first < 256) return;
    this.#fields = this.#fields.slice(this.#first);
    this.#first = 0;
  }
}
