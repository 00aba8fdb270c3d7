import { UsageError } from "../process/usage-error.js";

const HOW_TO_SAVE = 'save it as UTF-8 text ("CSV UTF-8" in Excel)';

/** Byte order marks. Excel's "Unicode Text" is UTF-16. */
const MARKS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

/** The start of ZIP archives, such as the workbooks of Excel, Numbers and LibreOffice. */
const ARCHIVE_START = [0x50, 0x4b, 0x03];

export interface DecodedFile {
  /** The text without the byte order mark. Throws a UsageError for bytes that the encoding does not allow. */
  readonly text: AsyncIterable<string>;
  readonly isUtf8: boolean;
}

/**
 * Decodes a file: UTF-8, or UTF-16 with a byte order mark.
 *
 * @throws UsageError if the file is UTF-16 without a byte order mark, or a workbook such as `.xlsx`.
 */
export async function decodeFile(bytes: AsyncIterable<Uint8Array>): Promise<DecodedFile> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (head.length < 3) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  if (ARCHIVE_START.every((byte, index) => head[index] === byte))
    throw new UsageError(`the file is a spreadsheet or an archive: ${HOW_TO_SAVE}`);
  const encoding = MARKS.find((mark) => mark.bytes.every((byte, index) => head[index] === byte))?.encoding ?? "utf-8";
  if (encoding === "utf-8" && (head[0] === 0 || head[1] === 0))
    throw new UsageError(`the file is UTF-16 text without a byte order mark: ${HOW_TO_SAVE}`);
  return { text: decode(head, { [Symbol.asyncIterator]: () => chunks }, encoding), isUtf8: encoding === "utf-8" };
}

async function* decode(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  encoding: (typeof MARKS)[number]["encoding"],
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  const decodeChunk = (chunk?: Uint8Array): string => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined });
      line += text.split("\n").length - 1;
      return text;
    } catch (error) {
      const [before = ""] = new TextDecoder(encoding).decode(chunk).split("\ufffd", 1);
      line += before.split("\n").length - 1;
      const name = encoding === "utf-8" ? "UTF-8" : "UTF-16";
      throw new UsageError(`the file is not ${name} text: see line ${line}, and ${HOW_TO_SAVE}`, { cause: error });
    }
  };
  yield decodeChunk(head);
  for await (const chunk of rest) yield decodeChunk(chunk);
  yield decodeChunk();
}
