import { writeFile } from "node:fs/promises";
import { createApiDocument, type DocumentConfig } from "../pages/api-document.js";

/** Writes the OpenAPI document, with line breaks, to a file, or to stdout if no path is given. */
export async function writeApiDocument(config: DocumentConfig, path: string | undefined): Promise<void> {
  const text = `${JSON.stringify(createApiDocument(config), null, 2)}\n`;
  // Wait until all output is written: exiting earlier would truncate it on a pipe.
  if (path === undefined) await new Promise((resolve) => process.stdout.write(text, resolve));
  else await writeFile(path, text);
}
