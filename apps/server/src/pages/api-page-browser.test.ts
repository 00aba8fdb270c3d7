import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { collectComplaints, describeInBrowser } from "../testing/browser.js";
import { createTestAdminKey } from "../testing/credentials.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

/** A page, with its console errors, blocked sources and requests to other origins. */
interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

const VIEWS = [
  [400, "dark"],
  [1280, "light"],
] as const;

const GUARDED = { auth: { keys: true, issuer: undefined } };

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

const run = promisify(execFile);

describeInBrowser("the API page in a browser", (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer("postgres", { basePath: "/api", hasVirtualClock: true });
  });

  afterAll(() => server?.stop());

  async function openPage(
    place = "",
    width = 1280,
    colorScheme: "light" | "dark" = "light",
    { url } = server,
  ): Promise<WatchedPage> {
    const context = await browser().newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const complaints = await collectComplaints(page, url);
    await page.goto(`${url}/docs${place === "" ? "" : `#${place}`}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  test("sends requests from the form, with the key that the user enters", async () => {
    const guarded = await startTestServer("postgres", GUARDED);
    onTestFinished(() => guarded.stop());
    const key = await createTestAdminKey(guarded.database);
    await using watched = await openPage("tag/accountservice/POST/call_tracking/accounts", 1280, "light", guarded);
    const { page, complaints } = watched;
    await page.getByRole("button", { name: "Test Request (post /call_tracking/accounts)" }).click();
    const statuses: number[] = [];
    page.on("response", (response) => response.request().method() === "POST" && statuses.push(response.status()));
    const dialog = page.getByRole("dialog");
    for (const text of ["401 Unauthorized", "201 Created", "200 OK"]) {
      if (text.startsWith("201")) await dialog.getByPlaceholder("Token").fill(key);
      await page.locator("[data-addressbar-action=send]:visible").click();
      await dialog.getByText(text).waitFor();
    }
    expect(statuses).toEqual([401, 201]);
    expect(complaints.filter((each) => !each.includes("401"))).toEqual([]);
  });

  test("has a sample for grpcurl, and a sample for buf curl that works", async () => {
    const guarded = await startTestServer("postgres", GUARDED);
    onTestFinished(() => guarded.stop());
    const key = await createTestAdminKey(guarded.database);
    await using watched = await openPage("tag/accountservice/POST/call_tracking/accounts", 1280, "light", guarded);
    const { page } = watched;
    const readSample = async (tool: string) => {
      await page.getByTestId("client-picker").filter({ visible: true }).first().click();
      await page.getByRole("option", { name: tool, exact: true }).click();
      const sample = page.locator("pre code:visible", { hasText: new RegExp(`^${tool}`) }).first();
      return (await sample.innerText()).replace("YOUR_SECRET_TOKEN", key);
    };
    const address = `127.0.0.1:${guarded.port} calltracking.v1.AccountService/CreateAccount`;
    expect((await readSample("grpcurl")).split("\\\n").map((line) => line.trim())).toEqual([
      ...["grpcurl", "-plaintext", `-H 'Authorization: Bearer ${key}'`],
      ...[`-d '{"account_token":"api-page-example"}'`, address],
    ]);
    const env = { ...process.env, PATH: [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter) };
    const { stdout } = await run("sh", ["-c", await readSample("buf curl")], { env });
    expect(JSON.parse(stdout)).toMatchObject({ accountToken: "api-page-example" });
  });

  test("finds an operation by its name", async () => {
    await using watched = await openPage();
    const { page, complaints } = watched;
    await page.getByRole("button", { name: "Open Search" }).click();
    await page.keyboard.type("retire tracking");
    await page.getByRole("option", { name: /Retire tracking number/ }).click();
    await expect.poll(() => page.url()).toContain("/dni_manager/tracking_numbers/{phone_number}:retire");
    expect(complaints).toEqual([]);
  });

  test.each(VIEWS)("shows the introduction and the operations, %d pixels wide and %s", async (width, scheme) => {
    await using watched = await openPage("", width, scheme);
    const { page, complaints } = watched;
    await page.getByText("api-page-example").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(background).toBe(scheme === "dark" ? "rgb(15, 15, 15)" : "rgb(255, 255, 255)");
    expect(complaints).toEqual([]);
  });
});
