import fs from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { OTHERS_PERMISSIONS } from "../../files/private-folder.js";
import { type EngineModule, exitOnCrash } from "./engine-crash.js";
import { WalSync } from "./wal-sync.js";

/** Parameters that make PostgreSQL sync files. PGlite turns fsync off (`-F`), and Emscripten's fdatasync does nothing. */
export const DURABLE_PARAMETERS: readonly string[] = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];

const WAL_FOLDER = "pg_wal";

/** Operations of Emscripten's NODEFS on open files. */
interface StreamOperations {
  open: Operation<[Stream]>;
  close: Operation<[Stream]>;
  write: Operation<[Stream, ...unknown[]]>;
  setattr: Operation<[Stream, ...unknown[]]>;
  fsync?: Operation<[Stream]>;
}

/** Operations of Emscripten's NODEFS on folders, or on files by path. */
interface NodeOperations extends Record<"rename" | "unlink" | "rmdir" | "symlink", Operation<unknown[]>> {
  mknod: Operation<[parent: unknown, name: string, mode: number, device: number]>;
  setattr: Operation<[node: unknown, changes: { readonly mode?: number }]>;
}

type Operation<A extends unknown[]> = (...parameters: A) => unknown;

interface Stream {
  readonly nfd: number;
  readonly node: { readonly mode: number; readonly parent: { readonly name: string } };
}

/** The parts of Emscripten's Node.js file system that this module changes. */
interface NodeFileSystem {
  readonly stream_ops: StreamOperations;
  readonly node_ops: NodeOperations;
  /** Converts Node.js errors to errors that PostgreSQL understands. */
  tryFSOperation<T>(operation: () => T): T;
  /** Returns the errno for a Node.js error. */
  convertNodeCode(error: unknown): number;
}

type InitOptions = Parameters<NodeFS["init"]>[1];

/**
 * The file system of an embedded database, with durable writes and private files. PGlite's NodeFS does not implement fsync, so a power cut
 * would lose acknowledged writes or damage files.
 */
export class DurableFiles extends NodeFS {
  readonly wal: WalSync;
  readonly #onCrash: (error: unknown) => never;
  #lastError: unknown;

  /** @param onCrash ends the process; see `exitOnCrash`. */
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
      keepPrivate(NODEFS.node_ops);
      exitOnCrash(module as EngineModule, this.#onCrash);
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), prepare] as InitOptions["preRun"];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } as InitOptions };
  }

  /** Returns the Node.js error behind an Emscripten error, which has only a number. */
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

/** Implements fsync. Syncs of the WAL are deferred, but happen before any other change in the data directory. */
function syncOnRequest({ stream_ops: stream, node_ops: node, tryFSOperation }: NodeFileSystem, wal: WalSync): void {
  const { open, close, write, setattr } = stream;
  stream.fsync = (file) => {
    if (isWal(file)) return wal.defer(file.nfd);
    wal.flush();
    if (canSync(file)) tryFSOperation(() => fs.fsyncSync(file.nfd));
  };
  stream.write = (file, ...rest) => {
    if (!isWal(file)) wal.flush();
    return write(file, ...rest);
  };
  stream.close = (file) => {
    if (isWal(file)) wal.flush();
    return close(file);
  };
  // Opening a file can truncate it.
  stream.open = afterFlush(wal, open);
  stream.setattr = afterFlush(wal, setattr);
  node.setattr = afterFlush(wal, node.setattr);
  node.mknod = afterFlush(wal, node.mknod);
  for (const name of ["rename", "unlink", "rmdir", "symlink"] as const) node[name] = afterFlush(wal, node[name]);
}

/** Creates all files without permissions for others. PGlite ignores the umask that PostgreSQL sets. */
function keepPrivate(node: NodeOperations): void {
  const { mknod, setattr } = node;
  node.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS_PERMISSIONS, device);
  node.setattr = (changed, { mode, ...changes }) =>
    setattr(changed, mode === undefined ? changes : { ...changes, mode: mode & ~OTHERS_PERMISSIONS });
}

function afterFlush<A extends unknown[]>(wal: WalSync, operation: Operation<A>): Operation<A> {
  return (...parameters) => {
    wal.flush();
    return operation(...parameters);
  };
}

function isWal({ node }: Stream): boolean {
  return node.parent.name === WAL_FOLDER && !isDirectory(node.mode);
}

/** Windows cannot sync folders, and does not need to: NTFS journals their entries. */
function canSync({ node }: Stream): boolean {
  return process.platform !== "win32" || !isDirectory(node.mode);
}

function isDirectory(mode: number): boolean {
  return (mode & fs.constants.S_IFMT) === fs.constants.S_IFDIR;
}
