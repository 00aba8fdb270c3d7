import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

/** The paths of Chromium and Chrome on Debian, Fedora, Arch and macOS. Debian's headless shell comes first: it takes half the processor time. */
const BROWSER_PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A key pressed while the page still scrolls can be lost.
  "--disable-smooth-scrolling",
  // Resolves `console.test` to this machine. Unlike pages from 127.0.0.1, pages from this host are not in a secure context.
  "--host-resolver-rules=MAP console.test 127.0.0.1",
  // The server treats headless browsers as crawlers.
  "--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
];

const MISSING = "no Chromium or Chrome is on this machine; install one, or set CHROMIUM_PATH";

/**
 * Runs a suite in a headless browser: the one at CHROMIUM_PATH, or an installed Chromium or Chrome. Without a browser, skips the suite, or
 * fails it in CI, which installs a browser.
 */
export function describeInBrowser(title: string, suite: (browser: () => Browser) => void): void {
  const path = [process.env.CHROMIUM_PATH ?? "", ...BROWSER_PATHS].find((each) => each !== "" && existsSync(each));
  const isSkipped = path === undefined && process.env.CI !== "true";
  if (isSkipped) console.log(`${title} is not tested: ${MISSING}`);
  describe.skipIf(isSkipped)(isSkipped ? `${title} (${MISSING})` : title, () => {
    let browser: Browser;
    beforeAll(async () => {
      if (path === undefined) throw new Error(MISSING);
      browser = await chromium.launch({ executablePath: path, args: ARGUMENTS });
    });
    afterAll(() => browser?.close());
    suite(() => browser);
  });
}

/**
 * Collects a page's errors and violations of its content security policy. If `origin` is given, also collects requests to other origins. Call this
 * function before the page is opened.
 */
export async function collectComplaints(page: Page, origin?: string): Promise<string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (origin !== undefined && !url.startsWith(origin) && !/^(?:data|blob):/.test(url)) complaints.push(url);
  });
  await page.addInitScript({
    content: 'addEventListener("securitypolicyviolation", (event) => console.error("blocked", event.blockedURI))',
  });
  return complaints;
}
