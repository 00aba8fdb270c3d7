// Takes the screenshots in the README: runs the shop example, and opens the pages of its server in Chromium.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const ROOT = join(import.meta.dirname, "..", "..");
const FOLDER = join(ROOT, "docs", "images");
const BROWSERS = [
  ...[process.env.CHROMIUM_PATH ?? "", "/usr/bin/chromium-headless-shell"],
  ...["/usr/bin/chromium", "/usr/bin/google-chrome"],
];
/** The settings of the browser page. The time zone is that of the shop. */
const READER = { viewport: { width: 1120, height: 800 }, timezoneId: "America/Los_Angeles", locale: "en-US" };

/** Maps the name of each screenshot to the end of its page's URL and to the color scheme. */
const PICTURES = {
  "console-sources": [(pool) => pool, "light"],
  "console-timeline": [(pool) => `${pool}/timeline`, "light"],
  "console-resize": [(pool) => `${pool}/resize?size=10`, "light"],
  "console-report": [() => "report", "dark"],
};

/** The operation in the screenshot of the API page. */
const OPERATION = "tag/poolservice/POST/dni_manager/accounts/{account_id}/pools";

const shop = spawn(process.execPath, [join(ROOT, "examples", "shop", "shop.ts")], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  await takePictures(await findConsole());
} finally {
  shop.kill("SIGTERM");
  await once(shop, "exit");
}

/** Returns the URL of the page with the pools, which the example prints after its simulated week. */
async function findConsole() {
  for await (const line of createInterface(shop.stdout)) {
    const address = /(http:\S+\/console\/#\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the example ended before it printed the console's address: to see why, run npm run example");
}

async function takePictures(address) {
  mkdirSync(FOLDER, { recursive: true });
  const browser = await chromium.launch({
    executablePath: BROWSERS.find((path) => path !== "" && existsSync(path)),
    args: ["--no-sandbox"],
  });
  try {
    const page = await browser.newPage(READER);
    await page.goto(address);
    await page.locator("tbody a").first().click();
    await page.waitForURL(/pools\/./);
    const pool = page.url().replace(/^.*\/pools\//, "pools/");
    for (const [name, [place, colorScheme]] of Object.entries(PICTURES)) {
      await page.emulateMedia({ colorScheme });
      await page.goto(address.replace(/pools$/, place(pool)));
      await page.locator("table").first().waitFor();
      await page.waitForSelector(".placeholder", { state: "detached" });
      // The timeline appears before its calls have loaded.
      await page.waitForFunction(() => !document.body.innerText.includes("Loading"));
      await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(new URL(`/docs#${OPERATION}`, address).href);
    await page.getByRole("heading", { name: "Create pool" }).waitFor();
    await page.getByTestId("client-picker").filter({ visible: true }).first().waitFor();
    await page.screenshot({ path: join(FOLDER, "api-page.png") });
  } finally {
    await browser.close();
  }
}
