import fs from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { OTHERS_PERMISSION_BITS } from "../../files/private-folder.js";
import { DeferredWalSync } from "./deferred-wal-sync.js";
import { type EngineModule, exitOnEngineCrash } from "./engine-crash.js";

/** The parameters that make PostgreSQL sync files. By default, PGlite turns fsync off (`-F`), and Emscripten's fdatasync does nothing. */
export const DURABLE_POSTGRES_PARAMETERS: readonly string[] = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];

const WAL_FOLDER = "pg_wal";

/** The operations of Emscripten's file system NODEFS on open files. */
interface StreamOperations {
  open: Operation<[Stream]>;
  close: Operation<[Stream]>;
  write: Operation<[Stream, ...unknown[]]>;
  setattr: Operation<[Stream, ...unknown[]]>;
  fsync?: Operation<[Stream]>;
}

/** The operations of Emscripten's file system NODEFS on folders, and on files that need not be open. */
interface NodeOperations extends Record<"rename" | "unlink" | "rmdir" | "symlink", Operation<unknown[]>> {
  mknod: Operation<[parent: unknown, name: string, mode: number, device: number]>;
  setattr: Operation<[node: unknown, changes: { readonly mode?: number }]>;
}

type Operation<A extends unknown[]> = (...parameters: A) => unknown;

interface Stream {
  readonly nfd: number;
  readonly node: { readonly mode: number; readonly parent: { readonly name: string } };
}

/** The parts of Emscripten's file system NODEFS that this module changes. */
interface NodeFileSystem {
  readonly stream_ops: StreamOperations;
  readonly node_ops: NodeOperations;
  /** Runs an operation, and converts its Node.js errors to errors that PostgreSQL understands. */
  tryFSOperation<T>(operation: () => T): T;
  /** Returns the errno value of a Node.js error. */
  convertNodeCode(error: unknown): number;
}

type InitOptions = Parameters<NodeFS["init"]>[1];

/**
 * A file system for the embedded database that makes writes durable and files private. PGlite's NodeFS does not implement fsync, so a power
 * cut would lose acknowledged writes or damage files.
 */
export class DurableFileSystem extends NodeFS {
  readonly wal: DeferredWalSync;
  readonly #onCrash: (error: unknown) => never;
  #lastError: unknown;

  /** @param onCrash called when PostgreSQL has crashed, with the cause. It must end the process. */
  constructor(directory: string, onCrash: (error: unknown) => never) {
    super(directory);
    this.wal = new DeferredWalSync(onCrash);
    this.#onCrash = onCrash;
  }

  override async init(...[pglite, options]: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const prepare = (module: unknown) => {
      const { NODEFS } = module as { readonly NODEFS: NodeFileSystem };
      this.#keepErrors(NODEFS);
      syncOnRequest(NODEFS, this.wal);
      keepPrivate(NODEFS.node_ops);
      exitOnEngineCrash(module as EngineModule, this.#onCrash);
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), prepare] as InitOptions["preRun"];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } as InitOptions };
  }

  /** Returns the Node.js error that caused an Emscripten error. The Emscripten error itself contains only an errno value. */
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

/** Implements fsync. Syncs of write-ahead log (WAL) files are deferred, but run before any other file in the data directory changes. */
function syncOnRequest(
  { stream_ops: stream, node_ops: node, tryFSOperation }: NodeFileSystem,
  wal: DeferredWalSync,
): void {
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
  // Runs deferred syncs before `open`, because `open` can truncate the file.
  stream.open = afterFlush(wal, open);
  stream.setattr = afterFlush(wal, setattr);
  node.setattr = afterFlush(wal, node.setattr);
  node.mknod = afterFlush(wal, node.mknod);
  for (const name of ["rename", "unlink", "rmdir", "symlink"] as const) node[name] = afterFlush(wal, node[name]);
}

/** Removes the permissions of other users from all files, because PGlite ignores the umask that PostgreSQL sets. */
function keepPrivate(node: NodeOperations): void {
  const { mknod, setattr } = node;
  node.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~OTHERS_PERMISSION_BITS, device);
  node.setattr = (changed, { mode, ...changes }) =>
    setattr(changed, mode === undefined ? changes : { ...changes, mode: mode & ~OTHERS_PERMISSION_BITS });
}

function afterFlush<A extends unknown[]>(wal: DeferredWalSync, operation: Operation<A>): Operation<A> {
  return (...parameters) => {
    wal.flush();
    return operation(...parameters);
  };
}

function isWal({ node }: Stream): boolean {
  return node.parent.name === WAL_FOLDER && !isDirectory(node.mode);
}

/** Windows cannot sync folders, and NTFS makes such syncs unnecessary, because it journals the entries of folders. */
function canSync({ node }: Stream): boolean {
  return process.platform !== "win32" || !isDirectory(node.mode);
}

function isDirectory(mode: number): boolean {
  return (mode & fs.constants.S_IFMT) === fs.constants.S_IFDIR;
}
