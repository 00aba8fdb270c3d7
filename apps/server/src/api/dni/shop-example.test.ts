import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { describeInBrowser } from "../../testing/browser.js";

const SHOP = fileURLToPath(new URL("../../../../../examples/shop/shop.ts", import.meta.url));

const OWN = "(415) 555-0100";

/** Listens on a free port. */
async function listen(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server) => String((server.address() as AddressInfo).port);

/** Returns ports that were free a moment ago. */
async function findFreePorts() {
  const servers = await Promise.all([listen(), listen()]);
  const [PORT, SHOP_PORT] = servers.map(portOf);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return { PORT, SHOP_PORT };
}

describeInBrowser("the example of a shop's page", (browser) => {
  let example: ChildProcess;
  let ports: Awaited<ReturnType<typeof findFreePorts>>;
  let output = "";

  beforeAll(async () => {
    ports = await findFreePorts();
    example = spawn(process.execPath, [SHOP], {
      env: { ...process.env, ...ports },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve, reject) => {
      example.once("exit", () => reject(new Error(`the example ended: ${output}`)));
      example.stdout?.setEncoding("utf8").on("data", (part: string) => {
        output += part;
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

  /** Opens the URL that the example prints for a visitor, and returns the number in the page's header. */
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
      instagram: "(628) 555-0106",
      newsletter: "(628) 555-0105",
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
    await expect.poll(said).toContain("is replaced by +16285550102. Places replaced: ");
    expect(said()).toContain("The server decided that the source is google / cpc, by the rule click_id.");
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
    expect(days[5]).toContain("→ +16285550106 activated: instagram / social has rank 4 of 5");
    expect(days[5]).toContain("→ +16285550101 flagged: bike-blog.example / referral has rank 6 of 5");
  });

  test("reports as many calls from each source as visitors made", () => {
    const [, table = ""] = output.split("The week in calls\n");
    const rows = table.split("\n\n")[0]?.split("\n").slice(1) ?? [];
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) {
      const [, made, counted] = row.trim().split(/ {2,}/);
      expect(counted).toBe(made);
    }
    expect(table).toMatch(/google \/ cpc +\d/);
  });

  describe("its calls", () => {
    interface ShopCall {
      readonly source: string | null;
      readonly outcome: string;
      readonly started_at: string;
      readonly duration_seconds: number;
    }

    const read = async <T>(path: string): Promise<T> =>
      (await (await fetch(`http://127.0.0.1:${ports.PORT}${path}`)).json()) as T;

    const readCalls = () => read<readonly ShopCall[]>("/dni_manager/accounts/harbour-bikes/calls");

    /** The weekday, hour and minute of a time in the shop's time zone. */
    const atTheShop = (time: string) =>
      new Date(time).toLocaleString("en-US", {
        ...{ timeZone: "America/Los_Angeles", weekday: "short" },
        ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
      });

    test("are in the past, on each day of the week, in the business hours of the shop", async () => {
      const times = (await readCalls()).map(({ started_at }) => started_at);
      expect(times.filter((time) => Date.parse(time) > Date.now())).toEqual([]);
      const local = times.map(atTheShop);
      expect(new Set(local.map((time) => time.split(" ")[0]))).toHaveLength(7);
      expect(local.filter((time) => !/ (?:09|1[0-5]):\d\d$/.test(time))).toEqual([]);
      expect(new Set(local.map((time) => time.split(":")[1])).size).toBeGreaterThan(20);
    });

    test("are answered and missed, from many sources, and have plausible durations", async () => {
      const calls = await readCalls();
      const answered = calls.filter(({ outcome }) => outcome === "answered");
      expect(answered.length / calls.length).toBeGreaterThan(0.6);
      expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(
        new Set(["answered", "missed", "abandoned", "busy"]),
      );
      expect(answered.filter(({ duration_seconds: seconds }) => seconds < 30 || seconds > 600)).toEqual([]);
      expect(new Set(answered.map(({ duration_seconds }) => duration_seconds)).size).toBeGreaterThan(30);
      expect(new Set(calls.map(({ source }) => source)).size).toBeGreaterThan(4);
    });

    test("reach the shop at its webhook endpoint", async () => {
      const calls = await readCalls();
      const unanswered = calls.filter(({ outcome }) => outcome !== "answered");
      expect(output).toContain(`The shop's webhook endpoint received ${calls.length} calls.`);
      expect(output).toContain(`The shop should call back ${unanswered.length} callers.`);
    });

    test("start after the creation of the account, and the server's clock shows the present time", async () => {
      const [account] = await read<readonly { created_at: string }[]>("/call_tracking/accounts");
      const first = Math.min(...(await readCalls()).map(({ started_at }) => Date.parse(started_at)));
      expect(Date.parse(account?.created_at ?? "")).toBeLessThan(first);
      const { now } = await read<{ now: string }>("/dni_manager/clock");
      expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
    });
  });
});

test("the example names the variable of a port that is in use or invalid", async () => {
  const server = await listen();
  onTestFinished(() => void server.close());
  const start = async (ports: object) => {
    const env = { ...process.env, ...(await findFreePorts()), ...ports };
    const example = spawn(process.execPath, [SHOP], { env, stdio: ["ignore", "ignore", "pipe"] });
    const [message, [code]] = await Promise.all([text(example.stderr), once(example, "exit")]);
    return { message: message.trim(), code };
  };
  const port = portOf(server);
  const inUse = `Port ${port} is in use: set PORT to another port.`;
  expect(await start({ PORT: port })).toEqual({ message: inUse, code: 1 });
  const invalid = "SHOP_PORT must be an integer between 1 and 65535.";
  expect(await start({ SHOP_PORT: "0" })).toEqual({ message: invalid, code: 1 });
});
