import fs from "node:fs";
import { join, resolve } from "node:path";

/** The name of the file in the image that contains the number assigned to the root folder. */
const ROOT = "root";

interface Entry {
  readonly name: string;
  readonly file: number;
  readonly isFolder: boolean;
}

/**
 * Records the synced state of a folder tree in an image folder. The image stores each file and folder under an assigned number, and a folder as a
 * JSON list of its entries.
 */
export class RecordedDisk {
  readonly #image: string;
  readonly #root: string;
  readonly #numbers = new Map<number, number>();
  readonly #unsynced = new Map<number, ((kept: number) => void)[]>();

  /** @param image the path of the image folder; it must not exist. */
  constructor(image: string, root: string) {
    this.#image = image;
    this.#root = root;
    fs.mkdirSync(image);
  }

  /** Returns the number that identifies a file or folder in the image. A rename keeps the number. After `forget`, the inode gets a new number. */
  fileOf({ ino }: fs.Stats): number {
    const known = this.#numbers.get(ino);
    if (known !== undefined) return known;
    const file = ++numbered;
    this.#numbers.set(ino, file);
    return file;
  }

  /** Removes the number of a deleted file or folder, because a new file can get the same inode. */
  forget({ ino }: fs.Stats): void {
    this.#numbers.delete(ino);
  }

  write(file: number, bytes: Uint8Array, position: number): void {
    this.#change(file, (kept) => fs.writeSync(kept, bytes, 0, bytes.length, position));
  }

  truncate(file: number, length: number): void {
    this.#change(file, (kept) => fs.ftruncateSync(kept, length));
  }

  /** Writes the current contents of a file to the image. */
  syncFile(file: number): void {
    const path = join(this.#image, String(file));
    const kept = fs.openSync(path, fs.existsSync(path) ? "r+" : "w");
    for (const change of this.#unsynced.get(file) ?? []) change(kept);
    fs.closeSync(kept);
    this.#unsynced.delete(file);
  }

  /** Writes the current entries of a folder to the image. */
  syncFolder(file: number, path: string): void {
    const entries = fs.readdirSync(path).map((name): Entry => {
      const found = fs.lstatSync(join(path, name));
      return { name, file: this.fileOf(found), isFolder: found.isDirectory() };
    });
    this.#replace(String(file), JSON.stringify(entries));
    if (resolve(path) === this.#root) this.#replace(ROOT, String(file));
  }

  /** Writes an existing folder tree to the image. */
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

  /** Replaces a file atomically, because the process may be killed at any time. */
  #replace(name: string, content: string): void {
    const path = join(this.#image, name);
    fs.writeFileSync(`${path}.new`, content);
    fs.renameSync(`${path}.new`, path);
  }
}

let numbered = 0;

/** Creates `directory` from an image, in the state after a power cut. */
export function restoreImage(image: string, directory: string): void {
  fs.mkdirSync(directory);
  const root = join(image, ROOT);
  if (fs.existsSync(root)) restoreFolder(image, Number(fs.readFileSync(root, "utf8")), directory);
}

function restoreFolder(image: string, file: number, directory: string): void {
  const kept = join(image, String(file));
  // A folder or file that was never synced is empty.
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
