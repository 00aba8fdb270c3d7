import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";

const SHOP = fileURLToPath(new URL("../../../../../examples/shop/shop.ts", import.meta.url));

const OWN = "(415) 555-0100";

describeInBrowser("the example of a shop's page", (browser) => {
  let example: ChildProcess;
  let output = "";

  beforeAll(async () => {
    example = spawn(process.execPath, [SHOP], { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise<void>((resolve, reject) => {
      example.once("exit", () => reject(new Error(`the example ended: ${output}`)));
      example.stdout?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("Press Ctrl-C to stop.")) resolve();
      });
    });
  });

  afterAll(async () => {
    if (example?.exitCode !== null) return;
    const ended = once(example, "exit");
    example.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  });

  /** The number in the page's header for a visitor who opens the URL that the example prints for them. */
  async function numberShownTo(visitor: string): Promise<string> {
    const url = new RegExp(`${visitor} +(http\\S+)`).exec(output)?.[1] ?? "";
    // Each browser context is a separate visitor.
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.goto(url, { waitUntil: "networkidle" });
    const shown = (await page.locator("header .call").textContent()) ?? "";
    await context.close();
    return shown;
  }

  test("shows different numbers to visitors from different sources, and the shop's own to others", async () => {
    const shown = {
      google: await numberShownTo("from a Google ad"),
      instagram: await numberShownTo("from Instagram"),
      newsletter: await numberShownTo("from the newsletter"),
      nobody: await numberShownTo("who typed the address"),
    };
    expect(shown).toEqual({
      google: "(628) 555-0102",
      instagram: "(628) 555-0104",
      newsletter: "(628) 555-0103",
      nobody: OWN,
    });
  });

  test("explains in debug mode what the server decided, and that it has no pool for another property", async () => {
    await using context = await browser().newContext();
    const page = await context.newPage();
    const lines: string[] = [];
    page.on("console", (message) => lines.push(message.text()));
    const said = () => lines.join("\n");
    await page.goto(`${/http\S+gclid=abc/.exec(output)?.[0]}&calltrack=debug`);
    await expect.poll(said).toContain("becomes +16285550102. Places replaced: ");
    expect(said()).toContain("The server decided google / cpc by the rule click_id.");
    await page.evaluate(`{
      const script = document.createElement("script");
      script.src = document.querySelector("script[data-property]").src + "?account=acme&property=other";
      document.head.append(script);
    }`);
    await expect.poll(said).toContain("The server has no pool for this property. Check data-account and data-property");
  });

  test("prints how the pool adapts to the visitors day by day", () => {
    const days = output.split(/\n(?=[A-Z][a-z]+day\n)/).slice(1);
    expect(days).toHaveLength(7);
    expect(days[5]).toContain("→ +16285550104 activated: instagram / social has rank 3 of 3");
    expect(days[5]).toContain("→ +16285550101 flagged: bike-blog.example / referral has rank 4 of 3");
  });

  test("reports as many calls of each source as visitors made", () => {
    const [, table = ""] = output.split("The week in calls\n");
    const rows = table.split("\n\n")[0]?.split("\n").slice(1) ?? [];
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) {
      const [, made, counted] = row.trim().split(/ {2,}/);
      expect(counted).toBe(made);
    }
    expect(table).toMatch(/google \/ cpc +\d/);
  });
});
