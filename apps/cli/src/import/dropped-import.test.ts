import { expect, onTestFinished, test } from "vitest";
import { type RunningCli, startCli } from "../testing/cli.js";
import { startFaultyServer } from "../testing/faulty-server.js";

const ROWS = "phone_number\n+12223334444\n+12223335555\n+12223336666\n";

/** Starts a server that answers the first request, but all other requests only after `release`. */
async function serveHanging() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: hanging, resolve: hangs } = Promise.withResolvers<void>();
  let calls = 0;
  const createPhoneNumber = async () => {
    if (++calls > 1) {
      hangs();
      await released;
    }
    return {};
  };
  const { url } = await startFaultyServer({ numbers: { createPhoneNumber, listPhoneNumbers: () => ({}) } });
  onTestFinished(() => release());
  return { url, hanging, release };
}

/** Imports numbers one by one from standard input, without a deadline. */
function startImport(server: string, keepsInputOpen = false): RunningCli {
  const args = ["numbers", "import", "acme", "-", "--concurrency", "1", "--timeout", "1h", "--output", "json"];
  const cli = startCli(args, { server, input: ROWS, keepsInputOpen });
  onTestFinished(() => void cli.process.kill("SIGKILL"));
  return cli;
}

const STOPPED =
  "error: interrupted\n  the import stopped after 1 row was acknowledged: import the same file again to add the missing rows";

test.each([1, 2])("an import with a hanging request ends when Ctrl-C is pressed (times: %i)", async (times) => {
  const { url, hanging } = await serveHanging();
  const cli = startImport(url);
  await hanging;
  for (let time = 0; time < times; time++) cli.process.kill("SIGINT");
  const { exitCode, stdout, stderr } = await cli.result;
  expect({ exitCode, tally: JSON.parse(stdout) }).toMatchObject({
    exitCode: 130,
    tally: { rows: 2, created: 1, unanswered: 1 },
  });
  expect(stderr).toContain(STOPPED);
});

test("Ctrl-C ends an import that waits for more rows", async () => {
  const { url, hanging, release } = await serveHanging();
  const cli = startImport(url, true);
  await hanging;
  release();
  cli.process.kill("SIGINT");
  expect(await cli.result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining("error: interrupted") });
});
