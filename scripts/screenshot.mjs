import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { node, root } from "./process.mjs";

/** README.md shows this file. */
const FILE = "docs/images/api-page.png";

/** Takes the screenshot of the API's page in Chromium, on a server with one account. */
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
    const page = await browser.newPage({ viewport: { width: 1200, height: 600 }, colorScheme: "light" });
    for (const operation of ["createAccount", "createPhoneNumber"]) {
      await page.goto(`${url}/docs#${operation}`);
      await page.waitForTimeout(500);
      await page.click(`#${operation} .send`);
      await page.waitForSelector(".response");
    }
    await page.goto(`${url}/docs#createPool`);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(root, FILE) });
  } finally {
    await browser.close();
  }
}
