import { UnusableDatabaseError } from "../../errors/unusable-database-error.js";

/** For what stands in the reason, what to do. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [
    /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/i,
    "free some space on its disk and start the server again. Nothing that was acknowledged is lost",
  ],
  [
    /Permission denied|EACCES|Operation not permitted|EPERM|Read-only file system|EROFS|unable to open database file/i,
    "let the user of the server read and write the folder and everything in it",
  ],
  [/I\/O error|EIO/i, "check its disk, and start the server again or restore a backup"],
];

const DAMAGED = "its files are damaged, or some are missing. Restore a backup, or set another DATA_DIR";
const RECOVERS = "start the server again. Nothing that was acknowledged is lost";

/** Collects why PostgreSQL gives up, which it writes to stderr only. */
export class EngineReasons {
  #last: string | undefined;

  /** Takes a line of PostgreSQL's log. Returns false: PGlite need not write it. */
  readonly onStderr = (line: string): boolean => {
    this.#last = /\b(?:FATAL|PANIC): +(.+)/.exec(line)?.[1] ?? this.#last;
    return false;
  };

  /** Why PostgreSQL gave up, in its own words; undefined if it did not. */
  get last(): string | undefined {
    return this.#last;
  }
}

/** What to tell whoever starts a server of an embedded database that cannot be opened. */
export function openFailure(directory: string, thrown: unknown, reason: string | undefined): Error {
  if (thrown instanceof UnusableDatabaseError) return thrown;
  return failure(`DATA_DIR ${directory} cannot be opened`, thrown, reason, DAMAGED);
}

/** What to tell whoever runs a server of an embedded database that has crashed. */
export function crashFailure(directory: string, thrown: unknown, reason: string | undefined): Error {
  return failure(`the embedded database in DATA_DIR ${directory} has crashed`, thrown, reason, RECOVERS);
}

/** What to tell whoever stops a server of an embedded database that could not be closed properly. */
export function closeFailure(directory: string, reason: string): Error {
  return failure(`the embedded database in DATA_DIR ${directory} was not closed properly`, undefined, reason, RECOVERS);
}

function failure(what: string, thrown: unknown, reason: string | undefined, otherwise: string): Error {
  const why = reason ?? (thrown instanceof Error ? thrown.message : String(thrown));
  const remedy = REMEDIES.find(([pattern]) => pattern.test(why))?.[1] ?? otherwise;
  return new UnusableDatabaseError(`${what} (${why}): ${remedy}`, { cause: thrown });
}
