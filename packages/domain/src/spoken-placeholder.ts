import { findSpokenTextProblem } from "./text.js";

const MAX_CALLER_TEXT_LENGTH = 1000;

/** The only placeholder in spoken texts. It is allowed in a whisper, and stands for the source of the call. */
export const SOURCE_PLACEHOLDER = "{source}";

/** The rule for braces in a whisper. Rejects misspelled placeholders, because the phone system would read them aloud. */
export function findWhisperBracesProblem(text: string): string | undefined {
  const isValid = !/[{}]/.test(text.replaceAll(SOURCE_PLACEHOLDER, " "));
  return isValid ? undefined : `must not contain braces, except in the placeholder ${SOURCE_PLACEHOLDER}`;
}

/** The rule for braces in the texts that callers hear: none, because these texts have no placeholder. */
export function findCallerTextBracesProblem(text: string): string | undefined {
  const problem = `must not contain braces: only whisper_text has a placeholder, ${SOURCE_PLACEHOLDER}`;
  return /[{}]/.test(text) ? problem : undefined;
}

/** The rule for a text that callers hear: up to 1000 code points without braces. */
export function findCallerTextProblem(text: string): string | undefined {
  return findSpokenTextProblem(text, MAX_CALLER_TEXT_LENGTH) ?? findCallerTextBracesProblem(text);
}
