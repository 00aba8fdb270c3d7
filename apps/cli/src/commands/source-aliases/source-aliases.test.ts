import { describe, expect, test } from "vitest";
import { startSharedServer } from "../../testing/shared-server.js";

const server = await startSharedServer();
const { run, json, refusal } = server;

describe("source-aliases", () => {
  test("sets, lists and removes aliases, and keeps the others", async () => {
    await json("accounts", "create", "aliases");
    expect((await run("source-aliases", "list", "aliases")).stdout).toBe("name  source  medium\n");
    await run("source-aliases", "set", "aliases", "GMB=google/local", "fb=facebook");
    await run("source-aliases", "set", "aliases", "gmb=google/maps", "yt=youtube");
    expect(await json("source-aliases", "list", "aliases")).toEqual([
      { name: "fb", source: "facebook", medium: null },
      { name: "gmb", source: "google", medium: "maps" },
      { name: "yt", source: "youtube", medium: null },
    ]);
    expect((await run("source-aliases", "remove", "aliases", "FB", "yt")).stdout).toMatch(/gmb +google +maps/);
    expect((await run("source-aliases", "list", "aliases", "--etag")).stdout).toMatch(/^"\d{13}"\n$/);
  });

  test("does not overwrite a change by somebody else", async () => {
    await json("accounts", "create", "aliases-2");
    const etag = (await run("source-aliases", "list", "aliases-2", "--etag")).stdout.trim();
    await run("source-aliases", "set", "aliases-2", "a=b", "--if-match", etag);
    expect(await refusal("source-aliases", "set", "aliases-2", "c=d", "--if-match", etag)).toContain("etag");
  });

  test.each([
    [["set", "acme", "gmb"], '"gmb" is not an alias: write NAME=SOURCE or NAME=SOURCE/MEDIUM'],
    [["set", "acme", "gmb="], '"gmb=" is not an alias: write NAME=SOURCE or NAME=SOURCE/MEDIUM'],
    [
      ["remove", "aliases-2", "x"],
      '"x" is not an alias of this account: run calltrack source-aliases list for its aliases',
    ],
  ])("%j is wrong usage", async (args, message) => {
    expect(await run("source-aliases", ...args)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(message),
    });
  });

  test("shows why the server rejects aliases", async () => {
    await json("accounts", "create", "aliases-3");
    expect(await refusal("source-aliases", "set", "aliases-3", "a=b", "b=c")).toContain(
      "must not be the name of another alias",
    );
  });
});
