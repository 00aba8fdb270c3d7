import { writeFileSync } from "node:fs";
import { createApiDocument } from "./api-document.js";

/** Writes the API's document, as `/openapi.json` has it but with line breaks, to a file, or to stdout where none is named. */
export function writeApiDocument(basePath: string, path: string | undefined): void {
  const text = `${JSON.stringify(createApiDocument(basePath), null, 2)}\n`;
  if (path === undefined) process.stdout.write(text);
  else writeFileSync(path, text);
}
