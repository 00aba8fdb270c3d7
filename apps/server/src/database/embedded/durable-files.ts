import fs from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { type EngineModule, endOnCrash } from "./engine-crash.js";
import { WalSync } from "./wal-sync.js";

/** Parameters of PostgreSQL without which it never asks for a sync: PGlite passes `-F`, and Emscripten's fdatasync does nothing. */
export const DURABLE_PARAMETERS: readonly string[] = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];

/** The folder of the write-ahead log in a data directory. */
const WAL_FOLDER = "pg_wal";

/** Operations of Emscripten's NODEFS on open files. */
interface StreamOperations {
  open: Operation<[Stream]>;
  close: Operation<[Stream]>;
  write: Operation<[Stream, ...unknown[]]>;
  setattr: Operation<[Stream, ...unknown[]]>;
  fsync?: Operation<[Stream]>;
}

/** Operations of Emscripten's NODEFS that change folders, or files by their path. */
type NodeOperations = Record<"setattr" | "mknod" | "rename" | "unlink" | "rmdir" | "symlink", Operation<unknown[]>>;

type Operation<A extends unknown[]> = (...parameters: A) => unknown;

interface Stream {
  readonly nfd: number;
  readonly node: { readonly mode: number; readonly parent: { readonly name: string } };
}

/** Emscripten's file system on Node.js, as far as it is changed here. */
interface NodeFileSystem {
  readonly stream_ops: StreamOperations;
  readonly node_ops: NodeOperations;
  /** Throws what Node.js throws as the error that PostgreSQL understands. */
  tryFSOperation<T>(operation: () => T): T;
  /** The number that PostgreSQL has for an error of Node.js. */
  convertNodeCode(error: unknown): number;
}

type InitOptions = Parameters<NodeFS["init"]>[1];

/**
 * The files of an embedded database in a folder, with syncs. PGlite's own NodeFS has none, so that PostgreSQL's are not passed
 * on: after a power cut, acknowledged writes would be gone or the files damaged.
 */
export class DurableFiles extends NodeFS {
  readonly wal: WalSync;
  readonly #onCrash: (error: unknown) => never;
  #lastError: unknown;

  /** @param onCrash ends the process: see `endOnCrash`. */
  constructor(directory: string, onCrash: (error: unknown) => never) {
    super(directory);
    this.wal = new WalSync(onCrash);
    this.#onCrash = onCrash;
  }

  override async init(...[pglite, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const prepare = (module: unknown) => {
      const { NODEFS } = module as { readonly NODEFS: NodeFileSystem };
      this.#keepErrors(NODEFS);
      syncOnRequest(NODEFS, this.wal);
      endOnCrash(module as EngineModule, this.#onCrash);
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), prepare] as InitOptions["preRun"];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } as InitOptions };
  }

  /** What Node.js threw, if Emscripten made an error of it that has a number only. */
  causeOf(error: unknown): unknown {
    return (error as { readonly name?: unknown }).name === "ErrnoError" ? (this.#lastError ?? error) : error;
  }

  #keepErrors(nodefs: NodeFileSystem): void {
    const convert = nodefs.convertNodeCode;
    nodefs.convertNodeCode = (error) => {
      this.#lastError = error;
      return convert(error);
    };
  }
}

/** Passes PostgreSQL's syncs on. Those of the WAL are deferred, but never beyond another change to the folder. */
function syncOnRequest({ stream_ops: stream, node_ops: node, tryFSOperation }: NodeFileSystem, wal: WalSync): void {
  const { open, close, write, setattr } = stream;
  stream.fsync = (file) => {
    if (isWal(file)) return wal.defer(file.nfd);
    wal.settle();
    if (canSync(file)) tryFSOperation(() => fs.fsyncSync(file.nfd));
  };
  stream.write = (file, ...rest) => {
    if (!isWal(file)) wal.settle();
    return write(file, ...rest);
  };
  stream.close = (file) => {
    if (isWal(file)) wal.settle();
    return close(file);
  };
  // Opening may truncate.
  stream.open = afterSettling(wal, open);
  stream.setattr = afterSettling(wal, setattr);
  for (const name of ["setattr", "mknod", "rename", "unlink", "rmdir", "symlink"] as const) {
    node[name] = afterSettling(wal, node[name]);
  }
}

function afterSettling<A extends unknown[]>(wal: WalSync, operation: Operation<A>): Operation<A> {
  return (...parameters) => {
    wal.settle();
    return operation(...parameters);
  };
}

function isWal({ node }: Stream): boolean {
  return node.parent.name === WAL_FOLDER && !isDirectory(node.mode);
}

/** Windows cannot sync a folder: NTFS journals its entries by itself. */
function canSync({ node }: Stream): boolean {
  return process.platform !== "win32" || !isDirectory(node.mode);
}

function isDirectory(mode: number): boolean {
  return (mode & fs.constants.S_IFMT) === fs.constants.S_IFDIR;
}
