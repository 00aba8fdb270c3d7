import { writeFile } from "node:fs/promises";
import { createApiDocument, type DocumentConfig } from "../pages/api-document.js";

/** Writes the API's document, as `/openapi.json` has it but with line breaks, to a file, or to stdout where none is named. */
export async function writeApiDocument(config: DocumentConfig, path: string | undefined): Promise<void> {
  const text = `${JSON.stringify(createApiDocument(config), null, 2)}\n`;
  // A pipe takes it piece by piece, and the end of the process would cut it short.
  if (path === undefined) await new Promise((resolve) => process.stdout.write(text, resolve));
  else await writeFile(path, text);
}
