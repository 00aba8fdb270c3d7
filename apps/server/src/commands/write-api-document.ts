import { writeFile } from "node:fs/promises";
import { type ApiDocumentConfig, createApiDocument } from "../pages/api-document.js";
import { STDIO_FILE_NAME } from "./command-line.js";
import { writeStdout } from "./write-stdout.js";

/** Writes the formatted OpenAPI document to a file, or to stdout if `path` is undefined or `-`. */
export async function writeApiDocument(config: ApiDocumentConfig, path: string | undefined): Promise<void> {
  const text = `${JSON.stringify(createApiDocument(config), null, 2)}\n`;
  if (path === undefined || path === STDIO_FILE_NAME) await writeStdout(text);
  else await writeFile(path, text);
}
