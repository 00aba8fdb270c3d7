/** A shell block of a Markdown page. */
export interface ShellBlock {
  /** The line number of the block's opening fence. */
  readonly line: number;
  readonly script: string;
  /** Whether a test runs the block and expects success, runs it and expects failure, or skips it. */
  readonly mode: "run" | "fails" | "skip";
  /** The settings of the server for this block and the following ones, or "stopped"; undefined if unchanged. */
  readonly server: Readonly<Record<string, string>> | "stopped" | undefined;
  /** A JSON object that the page shows as output of the block; undefined if the page shows no output. */
  readonly output: unknown;
}

/** A comment before a block: `<!-- not run: needs Docker -->`, `<!-- fails: … -->` or `<!-- server: AUTH=keys -->`. */
const MARK = /<!-- (not run|fails|server): *(.*?) *-->/g;

/** A block, which may be indented in a list item, with the comments directly before it. */
const BLOCK = /((?:^ *<!-- .* -->\n+)*)^( *)```sh\n([\s\S]*?)^ *```$/gm;

/** Matches the output of the preceding block. Text may come before the output, but no other code block. */
const OUTPUT = /^(?:(?!```)[\s\S])*?<!-- output -->\n```json\n([\s\S]*?)^```$/m;

/**
 * Finds the `sh` blocks of a page, with their marks.
 *
 * @throws Error for a mark without a reason or a setting.
 */
export function findShellBlocks(markdown: string): readonly ShellBlock[] {
  return Array.from(markdown.matchAll(BLOCK), ({ 0: whole, 1: comments = "", 2: indent = "", 3: text = "", index }) => {
    const line = markdown.slice(0, index + comments.length).split("\n").length;
    const marks = new Map(Array.from(comments.matchAll(MARK), ([, name, value]) => [name, value]));
    for (const [name, value] of marks) {
      if (!value) throw new Error(`line ${line}: write a reason after "${name}:", in ${whole.split("\n", 1)[0]}`);
    }
    return {
      line,
      script: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      mode: marks.has("not run") ? "skip" : marks.has("fails") ? "fails" : "run",
      server: readServer(marks.get("server")),
      output: readOutput(markdown.slice(index + whole.length)),
    };
  });
}

function readOutput(rest: string): unknown {
  const [before = ""] = rest.split("```", 1);
  return before.includes("<!-- output -->") ? JSON.parse(OUTPUT.exec(rest)?.[1] ?? "") : undefined;
}

function readServer(text: string | undefined): ShellBlock["server"] {
  if (text === undefined || text === "stopped") return text;
  return Object.fromEntries(text === "default" ? [] : text.split(" ").map((setting) => setting.split("=", 2)));
}
