import fs from "node:fs";
import { join, resolve } from "node:path";

/** The name of the file that has the number of the root folder. */
const ROOT = "root";

/** An entry of a folder. */
interface Entry {
  readonly name: string;
  readonly file: number;
  readonly isFolder: boolean;
}

/** The part of a folder's tree that was synced, kept in another folder: each file by a number, each folder as a list of entries. */
export class RecordedDisk {
  readonly #image: string;
  readonly #root: string;
  readonly #numbers = new Map<number, number>();
  readonly #unsynced = new Map<number, ((kept: number) => void)[]>();

  /** @param image where it is kept; must not exist. */
  constructor(image: string, root: string) {
    this.#image = image;
    this.#root = root;
    fs.mkdirSync(image);
  }

  /** The number of a file or folder, also if it is renamed. An inode that was `forget` gets another. */
  fileOf({ ino }: fs.Stats): number {
    const known = this.#numbers.get(ino);
    if (known !== undefined) return known;
    const file = ++numbered;
    this.#numbers.set(ino, file);
    return file;
  }

  /** Notes that a file or folder was deleted. */
  forget({ ino }: fs.Stats): void {
    this.#numbers.delete(ino);
  }

  write(file: number, bytes: Uint8Array, position: number): void {
    this.#change(file, (kept) => fs.writeSync(kept, bytes, 0, bytes.length, position));
  }

  truncate(file: number, length: number): void {
    this.#change(file, (kept) => fs.ftruncateSync(kept, length));
  }

  /** Keeps the contents of a file. */
  syncFile(file: number): void {
    const path = join(this.#image, String(file));
    const kept = fs.openSync(path, fs.existsSync(path) ? "r+" : "w");
    for (const change of this.#unsynced.get(file) ?? []) change(kept);
    fs.closeSync(kept);
    this.#unsynced.delete(file);
  }

  /** Keeps the entries of a folder. */
  syncFolder(file: number, path: string): void {
    const entries = fs.readdirSync(path).map((name): Entry => {
      const found = fs.lstatSync(join(path, name));
      return { name, file: this.fileOf(found), isFolder: found.isDirectory() };
    });
    this.#replace(String(file), JSON.stringify(entries));
    if (resolve(path) === this.#root) this.#replace(ROOT, String(file));
  }

  /** Keeps a folder with everything in it, as what was there before. */
  keepTree(path: string): void {
    const file = this.fileOf(fs.lstatSync(path));
    for (const entry of fs.readdirSync(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) this.keepTree(child);
      else fs.copyFileSync(child, join(this.#image, String(this.fileOf(fs.lstatSync(child)))));
    }
    this.syncFolder(file, path);
  }

  #change(file: number, change: (kept: number) => void): void {
    const changes = this.#unsynced.get(file);
    if (changes === undefined) this.#unsynced.set(file, [change]);
    else changes.push(change);
  }

  /** All or nothing, as the process may be killed at any time. */
  #replace(name: string, content: string): void {
    const path = join(this.#image, name);
    fs.writeFileSync(`${path}.new`, content);
    fs.renameSync(`${path}.new`, path);
  }
}

let numbered = 0;

/** Makes a folder of what was kept, as a machine finds it when its power is back. */
export function restoreImage(image: string, directory: string): void {
  fs.mkdirSync(directory);
  const root = join(image, ROOT);
  if (fs.existsSync(root)) restoreFolder(image, Number(fs.readFileSync(root, "utf8")), directory);
}

function restoreFolder(image: string, file: number, directory: string): void {
  const kept = join(image, String(file));
  // A folder that was never synced is empty, as is a file.
  if (!fs.existsSync(kept)) return;
  for (const entry of JSON.parse(fs.readFileSync(kept, "utf8")) as Entry[]) {
    const path = join(directory, entry.name);
    const source = join(image, String(entry.file));
    if (entry.isFolder) {
      fs.mkdirSync(path);
      restoreFolder(image, entry.file, path);
    } else if (fs.existsSync(source)) fs.copyFileSync(source, path);
    else fs.writeFileSync(path, "");
  }
}
