import type { DescMessage } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import type { ImportOptions } from "./import-options.js";
import type { RowFields } from "./import-row.js";
import type { RowSender } from "./row-sender.js";

/** An import to run. */
export interface ImportTask {
  /** The message type of a row; its fields are the columns. */
  readonly request: DescMessage;
  readonly file: string;
  readonly options: ImportOptions;
  /** Validates the readable fields of a row that has unreadable ones. */
  readonly findProblems?: (fields: RowFields) => readonly FieldViolation[];
  /** Reads what the import needs to know before the first row. */
  readonly prepare: () => Promise<RowSender>;
}
