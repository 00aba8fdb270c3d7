import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import jsTokens from "js-tokens";
import { repositoryRoot } from "./process.mjs";

const MAX_WORDS = 35;

/** Patterns of hard sentences, each with advice. They find only the worst sentences. */
const PATTERNS = [
  [
    /^(?:What|Whatever|Whoever|Who|Such)\b(?!.*[?:]["')]?$)/,
    "begin with a noun that names the thing, not with a clause",
  ],
  [/(?<!\b(?:each|all|both|most|some|several|none|any|either|first) )of which\b/i, "split the sentence into two"],
  [/\bso that what\b/i, "name the thing"],
  [/\b(?:that|if|whether|what|which) is there\b/i, 'write "exists", or name the state'],
  [/\bthat (?:is|are) not to be\b/i, 'write "must not"'],
  [/\b(?:the most|the least) that\b/i, 'write "maximum" or "minimum"'],
  [/\b(?:meet|meeting) (?:each other|in one)\b/i, 'write "concurrent" or "batched"'],
];

/** Matches names of limits that must contain `MAX` or `MIN` instead. */
const BOUND_NAME = /\b(?:MOST|LEAST)_[A-Z]\w*/g;

/**
 * Checks comments and docs for hard sentences.
 *
 * @throws Error that lists the findings, each with its file, line and advice.
 */
export function checkProse() {
  const findings = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repositoryRoot,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => READERS.some(([ending]) => ending.test(file)) && !file.includes("/gen/"))
    .flatMap(checkFile);
  if (findings.length > 0) throw new Error(`rewrite ${findings.length} sentences or names:\n${findings.join("\n")}`);
}

function checkFile(file) {
  const text = readFileSync(join(repositoryRoot, file), "utf8");
  const read = READERS.find(([ending]) => ending.test(file))[1];
  const found = read(text).flatMap(({ offset, prose }) =>
    findHardSentences(prose).map((problem) => ({ offset, problem })),
  );
  if (!file.endsWith(".md")) {
    for (const { 0: name, index } of text.matchAll(BOUND_NAME))
      found.push({ offset: index, problem: `${name}: name it MAX_… or MIN_…` });
  }
  return found.map(({ offset, problem }) => `${file}:${text.slice(0, offset).split("\n").length}: ${problem}`);
}

/** Returns each hard sentence of a text with advice. */
export function findHardSentences(prose) {
  return sentencesOf(prose).flatMap((sentence) => {
    const words = sentence.split(/\s+/).length;
    const advice = PATTERNS.filter(([pattern]) => pattern.test(sentence)).map(([, text]) => text);
    if (words > MAX_WORDS) advice.push(`write at most ${MAX_WORDS} words, not ${words}`);
    return advice.map((text) => `"${sentence}": ${text}`);
  });
}

function sentencesOf(prose) {
  return prose
    .split(/(?<=[.!?:]["')]?)\s+(?=["'(`[]?[A-Z])|\n\n/)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");
}

/**
 * Pairs of a pattern for file names and a function for these files. The function returns the passages of prose in a file, each with the offset at
 * which the passage begins.
 */
const READERS = [
  [/\.(?:tsx?|mjs|cjs)$/, readComments],
  [/\.proto$/, readProtoComments],
  [/\.md$/, readParagraphs],
];

/** Joins adjacent line comments into one passage, and splits block comments at tags and list items. */
function readComments(text) {
  const passages = [];
  let offset = 0;
  let end = -1;
  for (const { type, value } of jsTokens(text)) {
    if (type === "MultiLineComment") passages.push(...readBlock(value, offset));
    if (type === "SingleLineComment") {
      const prose = value.replace(/^\/\/+/, "");
      if (text.slice(end, offset).trim() === "" && end !== -1) passages.at(-1).prose += `\n${prose}`;
      else passages.push({ offset, prose });
      end = offset + value.length;
    } else if (type !== "WhiteSpace" && type !== "LineTerminatorSequence") end = -1;
    offset += value.length;
  }
  return passages;
}

function readBlock(comment, offset) {
  const prose = comment.slice(2, -2).replace(/^[\t ]*\* ?/gm, "");
  return prose
    .split(/\n(?=@|\s*[-*] )|\n\s*\n/)
    .map((part) => ({ offset, prose: strip(part.replace(/^\*?\s*(?:@\w+ )?(?:[-*] )?/, "")) }));
}

function readProtoComments(text) {
  return Array.from(text.matchAll(/(?:^[\t ]*\/\/.*\n)+/gm), ({ 0: block, index }) => ({
    offset: index,
    prose: strip(block.replace(/^[\t ]*\/\/ ?/gm, "")),
  }));
}

function readParagraphs(text) {
  const prose = text.replace(/^```.*?^```/gms, (code) => code.replace(/[^\n]/g, ""));
  return Array.from(prose.matchAll(/(?:^(?![#|<!]).*\S.*\n?)+/gm), ({ 0: block, index }) => ({ index, block })).flatMap(
    ({ index, block }) =>
      block
        .split(/\n(?=\s*(?:[-*]|\d+\.) )/)
        .map((item) => ({ offset: index, prose: strip(item.replace(/^\s*(?:[-*>]|\d+\.) /, "")) })),
  );
}

/** Omits indented code and link targets, and replaces each code span with one word. */
function strip(prose) {
  return prose
    .replace(/^ {3,}.*$/gm, "")
    .replace(/`[^`]+`/g, "`Code`")
    .replace(/\]\([^)]*\)/g, "]");
}
