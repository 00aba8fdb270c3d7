import { join } from "node:path";
import { compressFiles } from "../../scripts/packaging/compress-files.mjs";

compressFiles(join(import.meta.dirname, "dist", "assets"));
