import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { node, root } from "./process.mjs";

/** README.md shows this file. */
const FILE = "docs/images/api-page.png";

/** Takes the screenshot of the API's page in Chromium. */
export async function takeScreenshot() {
  const env = { ...process.env, PORT: "0", DATA_DIR: "memory://", LOG_LEVEL: "error" };
  const server = spawn(node, ["apps/server/dist/main.js"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface(server.stdout), "line");
    await photograph(line.replace("listening on ", ""));
  } finally {
    server.kill();
  }
}

async function photograph(url) {
  const { chromium } = createRequire(join(root, "apps/server/package.json"))("playwright-core");
  const { CHROMIUM_PATH: executablePath = "/usr/bin/chromium" } = process.env;
  const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, colorScheme: "light" });
    await page.goto(`${url}/docs#tag/poolservice/POST/dni_manager/accounts/{account_id}/pools`);
    await page.getByRole("heading", { name: "Create pool", exact: true }).waitFor();
    await page.waitForTimeout(2000);
    await page.screenshot({ path: join(root, FILE) });
  } finally {
    await browser.close();
  }
}
