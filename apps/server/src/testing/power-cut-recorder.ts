import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve } from "node:path";
import { isMainThread } from "node:worker_threads";
import { RecordedDisk } from "./recorded-disk.js";

/**
 * This module records in POWER_CUT_IMAGE the state of DATA_DIR that is guaranteed to survive a power cut: the contents of each file and the entries
 * of each folder at their last sync. `--import` loads the module before a server starts. A real file system may preserve more.
 *
 * The module records the changes made by the thread that runs the database. The main thread creates only DATA_DIR itself and its lock. Programs
 * without a database set POWER_CUT_THREAD to `main`.
 */
const root = resolve(process.env.DATA_DIR ?? "");
const original = { ...fs, promises: { ...fs.promises } };

/** The open files and folders of the data directory, by file descriptor. */
const open = new Map<number, { readonly file: number; readonly path: string }>();

if (isMainThread === (process.env.POWER_CUT_THREAD === "main"))
  record(new RecordedDisk(process.env.POWER_CUT_IMAGE ?? "", root));

function record(disk: RecordedDisk): void {
  Object.assign(fs, {
    openSync(path: string, flags: string | number = "r", mode?: fs.Mode) {
      const descriptor = original.openSync(path, flags, mode);
      if (!isRecorded(path)) return descriptor;
      const file = disk.fileOf(original.fstatSync(descriptor));
      open.set(descriptor, { file, path });
      if (typeof flags === "number" && (flags & fs.constants.O_TRUNC) !== 0) disk.truncate(file, 0);
      return descriptor;
    },
    closeSync(descriptor: number) {
      open.delete(descriptor);
      original.closeSync(descriptor);
    },
    writeSync(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number) {
      const written = original.writeSync(descriptor, buffer, offset, length, position);
      const file = open.get(descriptor)?.file;
      // A copy, because PostgreSQL reuses its buffers before the next sync.
      if (file !== undefined) disk.write(file, Uint8Array.from(buffer.subarray(offset, offset + written)), position);
      return written;
    },
    writeFileSync(path: string, data: string, options?: fs.WriteFileOptions) {
      original.writeFileSync(path, data, options);
      if (!isRecorded(path)) return;
      const file = disk.fileOf(original.statSync(path));
      disk.truncate(file, 0);
      disk.write(file, Buffer.from(data), 0);
    },
    ftruncateSync(descriptor: number, length: number) {
      original.ftruncateSync(descriptor, length);
      const file = open.get(descriptor)?.file;
      if (file !== undefined) disk.truncate(file, length);
    },
    truncateSync(path: string, length: number) {
      original.truncateSync(path, length);
      if (isRecorded(path)) disk.truncate(disk.fileOf(original.statSync(path)), length);
    },
    unlinkSync(path: string) {
      if (isRecorded(path)) disk.forget(original.lstatSync(path));
      original.unlinkSync(path);
    },
    rmdirSync(path: string) {
      if (isRecorded(path)) disk.forget(original.lstatSync(path));
      original.rmdirSync(path);
    },
    rmSync(path: string, options?: fs.RmOptions) {
      if (isRecorded(path)) forgetTree(path);
      original.rmSync(path, options);
    },
    renameSync(from: string, to: string) {
      if (isRecorded(to) && original.existsSync(to)) disk.forget(original.lstatSync(to));
      original.renameSync(from, to);
    },
    fsyncSync(descriptor: number) {
      original.fsyncSync(descriptor);
      sync(descriptor);
    },
    fdatasyncSync(descriptor: number) {
      original.fdatasyncSync(descriptor);
      sync(descriptor);
    },
  });
  Object.assign(fs.promises, {
    async open(path: string, flags?: string, mode?: fs.Mode) {
      const handle = await original.promises.open(path, flags, mode);
      if (!isRecorded(path)) return handle;
      const file = disk.fileOf(await handle.stat());
      const { appendFile, datasync, sync } = handle;
      return Object.assign(handle, {
        async appendFile(data: Uint8Array) {
          const { size } = await handle.stat();
          await appendFile.call(handle, data);
          disk.write(file, data, size);
        },
        async datasync() {
          await datasync.call(handle);
          disk.syncFile(file);
        },
        async sync() {
          await sync.call(handle);
          disk.syncFolder(file, path);
        },
      });
    },
    async rename(from: string, to: string) {
      if (isRecorded(to) && original.existsSync(to)) disk.forget(original.lstatSync(to));
      await original.promises.rename(from, to);
    },
    async rm(path: string, options?: fs.RmOptions) {
      if (isRecorded(path)) forgetTree(path);
      await original.promises.rm(path, options);
    },
  });
  syncBuiltinESMExports();
  if (original.existsSync(root)) disk.keepTree(root);

  function sync(descriptor: number): void {
    const synced = open.get(descriptor);
    if (synced === undefined) return;
    if (fs.fstatSync(descriptor).isDirectory()) disk.syncFolder(synced.file, synced.path);
    else disk.syncFile(synced.file);
  }

  function forgetTree(path: string): void {
    const found = original.lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isDirectory()) for (const name of original.readdirSync(path)) forgetTree(join(path, name));
    disk.forget(found);
  }
}

function isRecorded(path: unknown): path is string {
  return typeof path === "string" && (resolve(path) === root || resolve(path).startsWith(join(root, "/")));
}
