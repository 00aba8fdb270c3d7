import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { describeOnPostgres } from "../testing/behavior.js";
import { uniqueNumber } from "../testing/request-fields.js";

/** A proxy at `PUBLIC_URL`, as in front of a real server. */
const proxy = createServer((incoming, response) => handle(incoming, response));
proxy.listen(0, "127.0.0.1");
await once(proxy, "listening");
const publicUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
let handle: Parameters<typeof createServer>[1] & object;

afterAll(() => proxy.close());

const PROVIDERS = [
  { kind: "twilio", account_sid: `AC${"0".repeat(32)}`, secret: "twilio-secret", shared_key: "shared" },
  { kind: "signalwire", account_sid: "01890000-0000-7000-8000-000000000000", secret: "PSK_signalwire" },
  { kind: "telnyx", secret: Buffer.alloc(32, 7).toString("base64") },
];

describeOnPostgres(
  "CheckPhoneSystem",
  (service) => {
    const forward: typeof handle = (incoming, response) => {
      const { method, url, headers } = incoming;
      const outgoing = request(service.server.url + url, { method: method ?? "", headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(outgoing);
    };

    beforeEach(() => {
      handle = forward;
    });

    async function newSystem(fields: object): Promise<string> {
      const system = { name: "Checked", kind: "sip", fallback_number: uniqueNumber(), ...fields };
      return (await service.clients.json.createPhoneSystem(system)).phone_system.id;
    }

    async function check(phone_system_id: string): Promise<Record<string, string>> {
      const { findings } = await service.clients.json.checkPhoneSystem({ phone_system_id });
      const lines = findings.map((each) => [each.check, `${each.is_passed ? "passed" : "failed"}: ${each.message}`]);
      return Object.fromEntries(lines);
    }

    test("passes a PBX, and lists the checks to make by hand", async () => {
      expect(await check(await newSystem({}))).toEqual({
        public_url: `passed: ${publicUrl}`,
        is_active: "passed: the phone system is enabled, so the server answers its webhooks",
        credentials: "passed: the server can decrypt the current credential",
        voice_url: expect.stringMatching(/^passed: this URL answered 200 in \d+ ms$/),
        status_url: expect.stringMatching(/^passed: this URL answered 204 in \d+ ms$/),
        wrong_credential: expect.stringMatching(/^passed: this URL answered 403 in \d+ ms$/),
        by_hand: expect.stringMatching(/^failed: call one of the numbers/),
      });
    });

    test.each(PROVIDERS)("passes $kind except for the unencrypted URL, and leaves no call behind", async (fields) => {
      const found = await check(await newSystem(fields));
      expect(found).toMatchObject({
        public_url: expect.stringMatching(/^failed: .* does not use TLS: set PUBLIC_URL to an https URL/),
        voice_url: expect.stringMatching(/^passed: this URL answered (200|403) in \d+ ms/),
        status_url: expect.stringMatching(/^passed: this URL answered (204|403) in \d+ ms/),
        wrong_credential: expect.stringMatching(/^passed: this URL answered 403/),
      });
      expect(found.voice_url?.includes("only Telnyx has the key")).toBe(fields.kind === "telnyx");
      expect(await service.server.database.kysely.selectFrom("calls").select("id").execute()).toEqual([]);
    });

    test("warns when a provider is created whose requests would not be encrypted", async () => {
      const { notices } = await service.clients.json.createPhoneSystem({
        ...{ name: "Twilio", kind: "twilio", fallback_number: uniqueNumber() },
        ...{ account_sid: `AC${"0".repeat(32)}`, secret: "twilio-secret-000" },
      });
      expect(notices).toEqual([expect.stringContaining(`${publicUrl} does not use TLS`)]);
    });

    test("uses the new credential after a rotation, and calls nothing if the phone system is disabled", async () => {
      const id = await newSystem({});
      await check(id);
      await service.clients.json.rotatePhoneSystemCredentials({ phone_system_id: id, overlap_seconds: 0 });
      // The webhooks look up the credentials again at most once a second.
      await expect.poll(async () => (await check(id)).voice_url).toMatch(/^passed/);
      await service.clients.json.updatePhoneSystem({ phone_system_id: id, is_active: false });
      expect(await check(id)).toEqual({
        public_url: `passed: ${publicUrl}`,
        is_active: "failed: the phone system is disabled: enable it",
        credentials: "passed: the server can decrypt the current credential",
      });
    });

    describe("detects", () => {
      test.each<[string, typeof handle, RegExp]>([
        [
          "a redirect",
          (_, response) => response.writeHead(301, { location: "https://calls.example/" }).end(),
          /^failed: this URL redirects to https:\/\/calls\.example\/, but phone systems do not follow redirects: set PUBLIC_URL/,
        ],
        [
          "another status",
          (_, response) => response.writeHead(502).end(),
          /^failed: this URL answered 502 instead of 200/,
        ],
        [
          "another server",
          (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Welcome"),
          /^failed: this URL answered with text\/html instead of application\/json/,
        ],
        ["a broken connection", (incoming) => incoming.destroy(), /^failed: the server's request to this URL failed: /],
        [
          "a proxy that changes the path",
          (incoming, response) => forward(Object.assign(incoming, { url: `/x${incoming.url}` }), response),
          /^failed: this URL answered 404 instead of 200/,
        ],
      ])("%s", async (_, front, message) => {
        const id = await newSystem({});
        handle = front;
        expect((await check(id)).voice_url).toMatch(message);
      });
    });
  },
  { publicUrl },
);
