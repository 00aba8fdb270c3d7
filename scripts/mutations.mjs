/** Small changes of a line of code that a test should notice. */
const OPERATORS = [
  [
    "negate a condition",
    /\bif \((.+)\)( \{| return| throw| continue| break|$)/g,
    (_, condition, end) => `if (!(${condition}))${end}`,
  ],
  [
    "drop a condition",
    /\bif \((.+)\)( \{| return| throw| continue| break|$)/g,
    (_, _condition, end) => `if (false)${end}`,
  ],
  ["swap equality", / (===|!==) /g, (_, operator) => (operator === "===" ? " !== " : " === ")],
  [
    "move a bound",
    / (<|<=|>|>=) (?=[\w#(])/g,
    (_, operator) => ` ${operator.length === 2 ? operator[0] : `${operator}=`} `,
  ],
  ["swap a logical operator", / (&&|\|\|) /g, (_, operator) => (operator === "&&" ? " || " : " && ")],
  ["swap + and -", / ([+-]) (?=\w)/g, (_, operator) => (operator === "+" ? " - " : " + ")],
  ["flip a boolean", /\b(true|false)\b(?!")/g, (_, value) => (value === "true" ? "false" : "true")],
  ["drop a lock", /\bfor (?:no key )?(?:update|share)\b(?: skip locked)?/g, () => ""],
  ["drop a lock", /\.for(?:Update|Share|NoKeyUpdate)\(\)/g, () => ""],
  ["drop a condition of a statement", /\.where\(.+\)(?=[;)]?$)/g, () => ""],
  [
    "change a number",
    /(?<![\w.$"'])(\d[\d_]*)(?![\w.])/g,
    (_, number) => String(Number(number.replaceAll("_", "")) + 1),
  ],
  ["drop a statement", /^\s*(?:await |void )?(?:this\.)?[#\w.?]+\([^{]*\);$/g, () => ""],
];

/** Lines that are not code, or whose changes no test can notice. */
const SKIPPED = /^\s*(?:\/\/|\/?\*|import\b|export (?:type|interface)\b|type\b|interface\b|readonly\b|\)|\}|$)/;

/**
 * Finds all changes of a source text, each at one place of one line.
 *
 * @returns {{ line: number, operator: string, before: string, after: string, text: string }[]} text: the whole changed source.
 */
export function findMutations(source) {
  const lines = source.split("\n");
  return lines.flatMap((before, index) => {
    if (SKIPPED.test(before)) return [];
    return OPERATORS.flatMap(([operator, pattern, replace]) =>
      [...before.matchAll(pattern)].map((match) => {
        const end = match.index + match[0].length;
        const after = before.slice(0, match.index) + replace(...match) + before.slice(end);
        return { line: index + 1, operator, before, after, text: lines.with(index, after).join("\n") };
      }),
    );
  });
}
