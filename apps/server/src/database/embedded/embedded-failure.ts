import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";

/** Texts that tell operators how to fix a failure, each with a pattern that matches the reason for the failure. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [
    /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/i,
    "free some space on the disk of the folder, and start the server again. No acknowledged change is lost",
  ],
  [
    /Permission denied|EACCES|Operation not permitted|EPERM|Read-only file system|EROFS|unable to open database file/i,
    "let the user that runs the server read and write the folder and everything in it",
  ],
  // For example, a symbolic link to a folder on a disk that is not mounted.
  [
    /ENOTDIR|EEXIST|no such file or directory, mkdir/,
    "let DATA_DIR name a folder. If its disk is not mounted, mount it",
  ],
  [/I\/O error|EIO/i, "check the disk of the folder, and start the server again or restore a backup"],
];

const DAMAGED = "files of the database are damaged or missing. Restore a backup, or set another DATA_DIR";
const RECOVERS = "start the server again. No acknowledged change is lost";

/** `reason` is the message of PostgreSQL's last fatal error; undefined if there was none. It takes precedence over the message of `thrown`. */
export function createDatabaseOpenError(directory: string, thrown: unknown, reason: string | undefined): Error {
  if (thrown instanceof UnusableDatabaseError) return thrown;
  return failure(`DATA_DIR ${directory} cannot be opened`, thrown, reason, DAMAGED);
}

export function createDatabaseCrashError(directory: string, thrown: unknown, reason: string | undefined): Error {
  return failure(`the embedded database in DATA_DIR ${directory} has crashed`, thrown, reason, RECOVERS);
}

export function createDatabaseCloseError(directory: string, reason: string): Error {
  return failure(`the embedded database in DATA_DIR ${directory} was not closed properly`, undefined, reason, RECOVERS);
}

function failure(what: string, thrown: unknown, reason: string | undefined, otherwise: string): Error {
  const why = reason ?? (thrown instanceof Error ? thrown.message : String(thrown));
  const remedy = REMEDIES.find(([pattern]) => pattern.test(why))?.[1] ?? otherwise;
  return new UnusableDatabaseError(`${what} (${why}): ${remedy}`, { cause: thrown });
}
