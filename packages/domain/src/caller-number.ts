import { isKnownNumber, isPossibleNumber, readForeignNumber } from "./numbering-plan.js";
import type { PhoneSystemRules } from "./phone-system.js";
import { phoneNumberProblem } from "./telephony.js";

/** The country of a phone system's national numbers, which turns them into E.164 format. */
export type NumberRules = Pick<PhoneSystemRules, "countryCode" | "trunkPrefix">;

/** How a phone system names the caller. Each text can be a number, a user part or a SIP URI, or undefined. */
export interface CallerTexts {
  readonly from: string | undefined;
  /** The header P-Asserted-Identity (RFC 3325). */
  readonly assertedIdentity?: string | undefined;
  /** The header Privacy (RFC 3323). */
  readonly privacy?: string | undefined;
}

/** The caller of a call, as far as the phone system tells. */
export type Caller =
  | {
      readonly kind: "number";
      /** In E.164 format. */
      readonly number: string;
    }
  /** The caller asks to withhold the number, or the phone system names no caller. */
  | { readonly kind: "withheld" }
  /** An extension, a name, or a number whose country cannot be told. */
  | { readonly kind: "unreadable" };

/** Longer texts are unreadable, so that no text takes long to read. */
const MAX_LENGTH = 1000;

/** Words for a withheld number, and their digits on a telephone keypad, which carriers send as the number. */
const WITHHELD_USERS = new Set(
  [
    ...["anonymous", "restricted", "unavailable", "blocked", "unknown", "private", "withheld", "hidden", "masked"],
    ...["no", "not available", "out of area", "unterdrückt", "unbekannt", "anonym", "privat"],
    ...["masqué", "inconnu", "anonyme", "privé", "oculto", "desconocido", "anónimo", "privado", "desconhecido"],
    ...["sconosciuto", "nascosto", "privato", "onbekend", "anoniem", "afgeschermd"],
    ...[
      "nieznany",
      "zastrzeżony",
      "prywatny",
      "okänt",
      "hemligt",
      "ukendt",
      "skjult",
      "неизвестный",
      "скрытый",
      "非通知",
    ],
  ].map(readWord),
);
const WITHHELD_DIGITS = /^\+?(?:1?(?:266696687|7378742833|7378742883|2562533|8656696|86282452253|464)|0{7,})$/;

const WITHHELD_HOST = "anonymous.invalid";
const PRIVATE = new Set(["id", "user", "header", "full"]);

/** Reads the caller of a call. Never throws. */
export function readCaller({ from, assertedIdentity, privacy }: CallerTexts, rules: NumberRules): Caller {
  if (isPrivate(privacy)) return { kind: "withheld" };
  const addresses = [...splitAddresses(assertedIdentity), ...splitAddresses(from)];
  const number = addresses.map((address) => readNumber(address, rules)).find((each) => each !== undefined);
  if (number !== undefined) return number === WITHHELD ? { kind: "withheld" } : { kind: "number", number };
  return { kind: addresses.every((address) => readUser(address) === "") ? "withheld" : "unreadable" };
}

/**
 * Reads a dialled number. Returns it in E.164 format, or only its digits if the rules cannot tell its country; undefined if
 * the text has no number.
 */
export function readDialledNumber(text: string | undefined, rules: NumberRules): string | undefined {
  const [address = ""] = splitAddresses(text);
  const user = readUser(address);
  return toE164(user, rules) ?? (/^\d{1,15}$/.test(user) ? user : undefined);
}

/**
 * Reads the numbers that redirected a call: a number, or the header Diversion (RFC 5806), which grows with each of them. Returns the latest
 * ones in E.164 format: those that the first `MAX_LENGTH` characters name.
 */
export function readRedirections(text = "", rules: NumberRules): readonly string[] {
  const read = text.length > MAX_LENGTH ? text.slice(0, text.lastIndexOf(",", MAX_LENGTH)) : text;
  return splitAddresses(read)
    .map((address) => readNumber(address, rules))
    .filter((number) => number !== undefined && number !== WITHHELD) as readonly string[];
}

/**
 * Reports whether a text stands for a withheld number: a name such as `anonymous`, its digits on a telephone keypad, a dash,
 * `n/a`, or nothing, as in `"" <>`.
 */
export function isWithheldCaller(text: string): boolean {
  return (
    /^(?:[^\p{L}\p{N}]*|#?n\/a|none|null)$/iu.test(text.trim()) ||
    splitAddresses(text).some((address) => /<\s*>/.test(address) || readNumber(address, NO_RULES) === WITHHELD)
  );
}

const NO_RULES: NumberRules = { countryCode: undefined, trunkPrefix: undefined };

const WITHHELD = "withheld";

/** Reports whether the caller asks to withhold the number by the header Privacy. */
function isPrivate(privacy: string | undefined): boolean {
  return (privacy ?? "")
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .split(/[;,\s]+/)
    .some((value) => PRIVATE.has(value));
}

function readNumber(address: string, rules: NumberRules): string | typeof WITHHELD | undefined {
  const user = readUser(address);
  if (WITHHELD_USERS.has(readWord(user)) || WITHHELD_DIGITS.test(user)) return WITHHELD;
  return address.toLowerCase().includes(`@${WITHHELD_HOST}`) ? WITHHELD : toE164(user, rules);
}

/** Returns a word without case, accents, spaces, and the words for a number: `masque` of `Numéro masqué`. */
function readWord(user: string): string {
  return (
    user
      .toLowerCase()
      // Normalization takes quadratic time to sort marks.
      .replace(/\p{M}/gu, "")
      .normalize("NFKD")
      .replace(/[\p{M}\s]/gu, "")
      .replace(/number|caller(?:id)?|(?:ruf)?nummer|numero|номер/u, "")
  );
}

/** Splits a header at its commas, without the quoted names, which may contain commas and numbers. */
function splitAddresses(text = ""): string[] {
  if (text.length > MAX_LENGTH) return ["unreadable"];
  // A plus sign that a form does not encode is read as a space.
  const plain = text
    .replace(/^ (?=[1-9])/, "+")
    .replace(/"(?:[^"\\]|\\.)*("?)/gs, (name, end) => (end === "" ? name : ""));
  return plain.split(",");
}

/** Returns the user part of an address without the separators of a number: `+14155550100` of `<sip:+1-415-555-0100@pbx>`. */
function readUser(address: string): string {
  const uri = /<([^<>]*)>/.exec(address)?.[1] ?? address.trim();
  const [user = ""] = uri.replace(/^(?:sips?|tel):/i, "").split(/[@;?]/, 1);
  return user.replace(/%2b/gi, "+").replace(/[\s()./-]/g, "");
}

/** Returns a number in E.164 format; undefined if it is not one, or if its country cannot be told. */
function toE164(number: string, { countryCode, trunkPrefix }: NumberRules): string | undefined {
  if (number.startsWith("+")) return phoneNumberProblem(number) ? undefined : number;
  if (countryCode === undefined || !DIALLED.test(number)) return undefined;
  const international = toInternational(number, countryCode, trunkPrefix);
  return international === undefined || phoneNumberProblem(international) ? undefined : international;
}

/** The digits of a number, with the longest prefixes that are dialled before it. */
const DIALLED = /^[0-9]{1,20}$/;

/** Adds the country code to a national number, and a plus sign to an international one. Guesses nothing. */
function toInternational(digits: string, countryCode: string, trunkPrefix: string | undefined): string | undefined {
  if (countryCode === "1") return digits.startsWith("011") ? `+${digits.slice(3)}` : northAmerican(digits);
  const foreign = readForeignNumber(digits, countryCode);
  if (foreign !== undefined) return foreign;
  if (digits.startsWith("00")) return `+${digits.slice(2)}`;
  if (trunkPrefix === undefined) return withoutTrunkPrefix(digits, countryCode);
  const national = `+${countryCode}${digits.slice(trunkPrefix.length)}`;
  if (digits.startsWith(trunkPrefix) && isPossibleNumber(national)) return national;
  // National numbers have the trunk prefix, so this one begins with a country code, if it is a number at all.
  return isKnownNumber(`+${digits}`) ? `+${digits}` : undefined;
}

function northAmerican(digits: string): string | undefined {
  const national = /^1?(\d{10})$/.exec(digits)?.[1];
  return national === undefined ? undefined : `+1${national}`;
}

/** Without a trunk prefix, national numbers look like foreign ones. */
function withoutTrunkPrefix(digits: string, countryCode: string): string | undefined {
  const national = `+${countryCode}${digits}`;
  if (isKnownNumber(national)) return national;
  if (isKnownNumber(`+${digits}`)) return digits.startsWith(countryCode) ? `+${digits}` : undefined;
  return isPossibleNumber(national) ? national : undefined;
}
