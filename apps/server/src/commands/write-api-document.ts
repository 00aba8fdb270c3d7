import { writeFile } from "node:fs/promises";
import { createApiDocument, type DocumentConfig } from "../pages/api-document.js";
import { STDIO_FILE } from "./command-line.js";
import { writeStdout } from "./write-stdout.js";

/** Writes the formatted OpenAPI document to a file, or to stdout if `path` is undefined or `-`. */
export async function writeApiDocument(config: DocumentConfig, path: string | undefined): Promise<void> {
  const text = `${JSON.stringify(createApiDocument(config), null, 2)}\n`;
  if (path === undefined || path === STDIO_FILE) await writeStdout(text);
  else await writeFile(path, text);
}
