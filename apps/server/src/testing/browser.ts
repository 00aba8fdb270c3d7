import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

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
  // A key that is pressed while the page still scrolls can be lost.
  "--disable-smooth-scrolling",
  // The server takes headless browsers for crawlers.
  "--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
];

/** Returns the path of the browser: CHROMIUM_PATH, or an installed Chromium or Chrome; undefined if neither exists. */
export function findBrowser(): string | undefined {
  return [process.env.CHROMIUM_PATH ?? "", ...BROWSER_PATHS].find((path) => path !== "" && existsSync(path));
}

/** Starts a headless browser. The caller closes it. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS });
}
