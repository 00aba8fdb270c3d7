import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createFile, type ServedFile } from "./served-file.js";

/** Reads the files of the API page, by path: the page itself, and Swagger UI from its package. */
export function readPageFiles(apiDocument: unknown): ReadonlyMap<string, ServedFile> {
  const own = (name: string) => readFileSync(new URL(`../../api-page/${name}`, import.meta.url));
  const ofSwagger = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
  return new Map([
    ["/openapi.json", createFile("application/json", Buffer.from(JSON.stringify(apiDocument)))],
    ["/docs", createFile("text/html; charset=utf-8", own("index.html"))],
    ["/docs/api-page.css", createFile("text/css; charset=utf-8", own("api-page.css"))],
    ["/docs/api-page.js", createFile("text/javascript; charset=utf-8", own("api-page.js"))],
    ["/docs/icon.svg", createFile("image/svg+xml", own("icon.svg"))],
    ["/docs/swagger-ui.css", createFile("text/css; charset=utf-8", ofSwagger("swagger-ui.css"))],
    ["/docs/swagger-ui.js", createFile("text/javascript; charset=utf-8", ofSwagger("swagger-ui-bundle.js"))],
  ]);
}
