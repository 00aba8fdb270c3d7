import { writeFile } from "node:fs/promises";
import { createApiDocument, type DocumentConfig } from "../pages/api-document.js";
import { STDIO_FILE } from "./command-line.js";
import { writeStdout } from "./write-stdout.js";

/** Writes the OpenAPI document, with line breaks, to a file, or to stdout if no path or `-` is given. */
export async function writeApiDocument(config: DocumentConfig, path: string | undefined): Promise<void> {
  const text = `${JSON.stringify(createApiDocument(config), null, 2)}\n`;
  if (path === undefined || path === STDIO_FILE) await writeStdout(text);
  else await writeFile(path, text);
}
