import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createProgressBar } from "./progress-bar.js";

const COLUMNS = 80;
const tally = { rows: 12_000, created: 11_000, already_there: 900, refused: 100, unanswered: 0 };

/** Returns the lines that a terminal of 80 columns shows after the given output. */
function screenOf(written: string): string[] {
  const lines = [""];
  let column = 0;
  for (const token of written.replaceAll("\u001b[K", "\v")) {
    const line = lines.at(-1) ?? "";
    if (token === "\r") column = 0;
    else if (token === "\v") lines[lines.length - 1] = line.slice(0, column);
    else if (token === "\n" || column === COLUMNS) {
      lines.push(token === "\n" ? "" : token);
      column = token === "\n" ? 0 : 1;
    } else {
      lines[lines.length - 1] = line.slice(0, column) + token + line.slice(column + 1);
      column += 1;
    }
  }
  return lines;
}

function show(totalBytes: number | undefined, log: string): string[] {
  const terminal = new PassThrough({ encoding: "utf8" });
  const stream = Object.assign(terminal, { columns: COLUMNS }) as unknown as NodeJS.WriteStream;
  const bar = createProgressBar(stream, totalBytes);
  bar.update(25, tally);
  bar.log(`${log}\n`);
  bar.update(50, tally);
  bar.stop();
  return screenOf(terminal.read());
}

test("shows the bar and the counts in one line", () => {
  const counts = "11000 created, 900 already there, 100 refused";
  expect(show(100, "line 1: no")).toStrictEqual(["line 1: no", `██████████░░░░░░░░░░ 50% | ${counts}`, ""]);
  expect(show(undefined, "line 1: no")).toStrictEqual(["line 1: no", `Importing | ${counts} | 12000 rows`, ""]);
});

test("shows a full bar for a file that grew while it was read", () => {
  expect(show(48, "line 1: no")[1]).toMatch(/^█{20} 100% /);
});

test("shows messages longer than the terminal's width in full", () => {
  const message = `line 1: ${"description is too long; ".repeat(8)}`;
  expect(show(100, message).slice(0, -2).join("")).toBe(message);
});
