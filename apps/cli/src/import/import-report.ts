import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import { pluralize } from "@calltrack/domain/pluralize";
import type { Invocation } from "../invocation/invocation.js";
import type { ImportOptions } from "./import-options.js";
import type { RowGroup } from "./import-row.js";
import { IncompleteImportError } from "./incomplete-import-error.js";
import type { OpenRowFile } from "./open-row-file.js";
import { createProgressBar, createProgressWithoutBar } from "./progress-bar.js";
import { openRejectsFile, type UsedFilesByName } from "./rejects-file.js";
import type { CallImportCountName, ImportTally, RowOutcome } from "./row-outcome.js";

export interface ImportReport {
  /** Counts the rows of a record. Prints each row that was rejected, or differs from the existing call, with its line number and the reason. */
  readonly add: (group: RowGroup, outcome: RowOutcome) => Promise<void>;
  /**
   * Prints the counts to stdout, and the reasons for skipped rows to stderr. Throws if rows were rejected or differ, or the import ended early.
   *
   * @param failure the error that ended the import early; undefined if it completed.
   */
  readonly finish: (failure: unknown) => Promise<void>;
}

/** The outcomes that count for every row of a record. With other outcomes, rows after the first one count as joined. */
const WHOLE_KINDS: readonly string[] = ["refused", "skipped", "unanswered"];

const MAX_SKIP_REASONS = 20;

/**
 * Creates a report that writes rejected rows to stderr and to the rejects file. If stderr is a terminal, the report also writes progress to stderr.
 *
 * @param used the files that the rejects file must not overwrite.
 * @param counts the counts to print in addition to the counts of all imports.
 */
export async function createImportReport(
  invocation: Invocation,
  { rejectsHeader, totalBytes }: OpenRowFile,
  used: UsedFilesByName,
  { rejects }: ImportOptions,
  counts: readonly CallImportCountName[] = [],
): Promise<ImportReport> {
  const { stderr } = invocation.host;
  const tally: ImportTally = {
    ...{ rows: 0, created: 0, already_there: 0 },
    ...Object.fromEntries(counts.map((count) => [count, 0])),
    ...{ refused: 0, unanswered: 0 },
  };
  const skipped = new Map<string, number>();
  let endByte = 0;
  const rejectsFile = rejects === undefined ? undefined : await openRejectsFile(rejects, rejectsHeader, used);
  const hasBar = stderr.isTTY && !invocation.options.verbose;
  const progress = hasBar ? createProgressBar(stderr, totalBytes) : createProgressWithoutBar(stderr);
  invocation.notify = progress.log;
  return {
    async add({ rows, content }, outcome) {
      for (const [index, { endByte: end }] of rows.entries()) {
        const isWhole = index === 0 || WHOLE_KINDS.includes(outcome.kind);
        const count = isWhole ? outcome.kind.replace(" ", "_") : "joined";
        tally.rows += 1;
        tally[count as keyof ImportTally] = (tally[count as keyof ImportTally] ?? 0) + 1;
        endByte = Math.max(endByte, end);
      }
      progress.update(endByte, tally);
      if (outcome.kind === "skipped") skipped.set(outcome.reason, (skipped.get(outcome.reason) ?? 0) + rows.length);
      if (outcome.kind !== "refused" && outcome.kind !== "different") return;
      const culprit = (content.kind === "unreadable" ? content.line : undefined) ?? rows[0]?.line;
      progress.log(`line ${culprit}: ${escapeForTerminal(outcome.reason)}\n`);
      if (outcome.kind === "different") return;
      for (const row of rows) {
        const isCulprit = row.line === culprit;
        const reason = isCulprit ? outcome.reason : `belongs to the same call as line ${culprit}, which was refused`;
        if (!isCulprit) progress.log(`line ${row.line}: ${reason}\n`);
        await rejectsFile?.add(row.toReject(reason));
      }
    },
    async finish(failure) {
      progress.stop();
      await rejectsFile?.close();
      const reasons = [...skipped].sort(([, one], [, other]) => other - one);
      for (const [reason, rows] of reasons.slice(0, MAX_SKIP_REASONS))
        stderr.write(`skipped ${pluralize(rows, "row")}: ${escapeForTerminal(reason)}\n`);
      const rest = reasons.slice(MAX_SKIP_REASONS).reduce((sum, [, rows]) => sum + rows, 0);
      if (rest > 0) stderr.write(`skipped ${pluralize(rest, "row")} for other reasons\n`);
      await invocation.showRow({ ...tally });
      if (failure !== undefined || tally.refused > 0 || (tally.different ?? 0) > 0)
        throw new IncompleteImportError(tally, failure, rejects);
    },
  };
}
