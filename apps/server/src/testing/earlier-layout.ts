import { readdir, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { createDataLocation, type DataLocation } from "./data-location.js";

/**
 * Creates an embedded database with the schema and no rows. Its files are directly in `DATA_DIR`, where earlier releases stored them, instead of in
 * the folder `postgres`.
 */
export async function createEarlierDataLocation(): Promise<DataLocation> {
  const location = await createDataLocation("embedded");
  const { DATA_DIR = "" } = location.environment;
  const folder = join(DATA_DIR, "postgres");
  for (const name of await readdir(folder)) await rename(join(folder, name), join(DATA_DIR, name));
  await rmdir(folder);
  return location;
}
