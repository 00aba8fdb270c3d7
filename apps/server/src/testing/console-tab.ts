import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { collectComplaints } from "./browser.js";

export interface ConsoleTab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, violations of its content security policy, and requests to other origins. */
  readonly complaints: readonly string[];
  /** Opens a page of the console, such as `accounts`, and waits until its data is shown. */
  open(place: string): Promise<void>;
  /** Returns the accessibility problems of the page, as axe-core finds them by the given rules. Default: all rules. */
  findAxeViolations(rules?: readonly string[]): Promise<readonly string[]>;
}

export interface TabOptions {
  /** The API key to sign in with; undefined to show the sign-in form. */
  readonly key?: string;
  /** The time zone of the browser. Default: `Asia/Tokyo`. */
  readonly timeZone?: string;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Opens a tab for the console at a URL such as `http://127.0.0.1:8080/console/`. */
export async function openConsoleTab(
  browser: Browser,
  url: string,
  { key, timeZone = "Asia/Tokyo" }: TabOptions = {},
): Promise<ConsoleTab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: timeZone });
  const page = await context.newPage();
  const complaints = await collectComplaints(page, new URL(url).origin);
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  if (key !== undefined) {
    await page.addInitScript({
      content: `if (location.protocol === "http:" && !sessionStorage.length) sessionStorage.setItem("calltrack-credential", ${JSON.stringify(key)})`,
    });
  }
  return {
    page,
    context,
    complaints,
    async open(place) {
      await page.goto(`${url}#/${place}`);
      // Waits for a frame, because the console changes the page without loading a new document, and draws the change in the next frame.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      await page.waitForSelector("h1");
      await page.waitForSelector(".placeholder", { state: "detached" });
    },
    async findAxeViolations(rules) {
      // Evaluated code is not subject to the page's content security policy, unlike an added script.
      if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
      const options = JSON.stringify({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
      const result = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResult;
      return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}
