import { isInNumberingPlan, isPossiblePhoneNumber, readForeignPhoneNumber } from "./numbering-plan.js";
import type { PhoneSystemRules } from "./phone-system.js";
import { findPhoneNumberProblem } from "./telephony.js";

/** The country code and trunk prefix with which a phone system's national numbers are converted to E.164 format. */
export type NationalNumberRules = Pick<PhoneSystemRules, "countryCode" | "trunkPrefix">;

/** The texts in which a phone system states the caller: numbers, user parts or SIP URIs. Each is undefined if the phone system sends none. */
export interface CallerIdentityHeaders {
  readonly from: string | undefined;
  /** The value of the P-Asserted-Identity header (RFC 3325). */
  readonly assertedIdentity?: string | undefined;
  /** The value of the Privacy header (RFC 3323). */
  readonly privacy?: string | undefined;
}

/** The caller's number, or why it is unknown. */
export type CallerNumber =
  | {
      readonly kind: "number";
      /** The caller's number in E.164 format. */
      readonly number: string;
    }
  /** The caller withholds the number, or the phone system sends none. */
  | { readonly kind: "withheld" }
  /** The phone system sends an extension, a name, or a number whose country is unknown. */
  | { readonly kind: "unreadable" };

/** Maximum length of a text in characters. Longer texts count as unreadable, which limits the time to parse a text. */
const MAX_LENGTH = 1000;

/** Words for a withheld number. Carriers send them as names, or as the digits that spell the words on a telephone keypad. */
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

/** Reads the caller's number from the texts in which a phone system states the caller. Never throws. */
export function readCallerNumber(
  { from, assertedIdentity, privacy }: CallerIdentityHeaders,
  rules: NationalNumberRules,
): CallerNumber {
  if (isPrivate(privacy)) return { kind: "withheld" };
  const addresses = [...splitAddresses(assertedIdentity), ...splitAddresses(from)];
  const number = addresses.map((address) => readNumber(address, rules)).find((each) => each !== undefined);
  if (number !== undefined) return number === WITHHELD ? { kind: "withheld" } : { kind: "number", number };
  return { kind: addresses.every((address) => readUser(address) === "") ? "withheld" : "unreadable" };
}

/** Returns the dialed number in E.164 format, or only its digits if its country is unknown. Undefined if the text contains no number. */
export function readDialedNumber(text: string | undefined, rules: NationalNumberRules): string | undefined {
  const [address = ""] = splitAddresses(text);
  const user = readUser(address);
  return toE164(user, rules) ?? (/^\d{1,15}$/.test(user) ? user : undefined);
}

/**
 * Returns the numbers that redirected a call, in E.164 format.
 *
 * @param text a number, or the value of a Diversion header (RFC 5806), which lists the latest redirection first. Text after the first
 *   `MAX_LENGTH` characters is ignored.
 */
export function readRedirectingNumbers(text = "", rules: NationalNumberRules): readonly string[] {
  const read = text.length > MAX_LENGTH ? text.slice(0, text.lastIndexOf(",", MAX_LENGTH)) : text;
  return splitAddresses(read)
    .map((address) => readNumber(address, rules))
    .filter((number) => number !== undefined && number !== WITHHELD) as readonly string[];
}

/**
 * Reports whether a text stands for a withheld number: a word such as `anonymous`, the digits that spell the word on a telephone keypad, a
 * dash, `n/a`, or an empty address, as in `"" <>`.
 */
export function isWithheldCallerText(text: string): boolean {
  return (
    /^(?:[^\p{L}\p{N}]*|#?n\/a|none|null)$/iu.test(text.trim()) ||
    splitAddresses(text).some((address) => /<\s*>/.test(address) || readNumber(address, NO_RULES) === WITHHELD)
  );
}

const NO_RULES: NationalNumberRules = { countryCode: undefined, trunkPrefix: undefined };

const WITHHELD = "withheld";

/** Reports whether the Privacy header withholds the caller's number. */
function isPrivate(privacy: string | undefined): boolean {
  return (privacy ?? "")
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .split(/[;,\s]+/)
    .some((value) => PRIVATE.has(value));
}

function readNumber(address: string, rules: NationalNumberRules): string | typeof WITHHELD | undefined {
  const user = readUser(address);
  if (WITHHELD_USERS.has(readWord(user)) || WITHHELD_DIGITS.test(user)) return WITHHELD;
  return address.toLowerCase().includes(`@${WITHHELD_HOST}`) ? WITHHELD : toE164(user, rules);
}

/** Returns a text in lower case, without accents, spaces and words that mean "number": `masque` for `Numéro masqué`. */
function readWord(user: string): string {
  return (
    user
      .toLowerCase()
      // Combining marks are removed first, because normalization takes quadratic time to sort them.
      .replace(/\p{M}/gu, "")
      .normalize("NFKD")
      .replace(/[\p{M}\s]/gu, "")
      .replace(/number|caller(?:id)?|(?:ruf)?nummer|numero|номер/u, "")
  );
}

/** Splits a header into its addresses, at commas. Removes quoted names, because they can contain commas and numbers. */
function splitAddresses(text = ""): string[] {
  if (text.length > MAX_LENGTH) return ["unreadable"];
  // The form decoder replaces a plus sign with a space if the sender does not percent-encode the sign.
  const plain = text
    .replace(/^ (?=[1-9])/, "+")
    .replace(/"(?:[^"\\]|\\.)*("?)/gs, (name, end) => (end === "" ? name : ""));
  return plain.split(",");
}

/** Returns the user part of an address, without the separators in a number: `+14155550100` for `<sip:+1-415-555-0100@pbx>`. */
function readUser(address: string): string {
  const uri = /<([^<>]*)>/.exec(address)?.[1] ?? address.trim();
  const [user = ""] = uri.replace(/^(?:sips?|tel):/i, "").split(/[@;?]/, 1);
  return user.replace(/%2b/gi, "+").replace(/[\s()./-]/g, "");
}

/** Converts a number to E.164 format. Returns undefined if the text is not a number, or if the number's country is unknown. */
function toE164(number: string, { countryCode, trunkPrefix }: NationalNumberRules): string | undefined {
  if (number.startsWith("+")) return findPhoneNumberProblem(number) ? undefined : number;
  if (countryCode === undefined || !DIALED.test(number)) return undefined;
  const international = toInternational(number, countryCode, trunkPrefix);
  return international === undefined || findPhoneNumberProblem(international) ? undefined : international;
}

/** 1 to 20 digits: room for the longest number with the longest dialing prefix. */
const DIALED = /^[0-9]{1,20}$/;

/** Adds the country code to a national number, and a plus sign to an international one. Returns undefined if the number could be either. */
function toInternational(digits: string, countryCode: string, trunkPrefix: string | undefined): string | undefined {
  if (countryCode === "1") return digits.startsWith("011") ? `+${digits.slice(3)}` : northAmerican(digits);
  const foreign = readForeignPhoneNumber(digits, countryCode);
  if (foreign !== undefined) return foreign;
  if (digits.startsWith("00")) return `+${digits.slice(2)}`;
  if (trunkPrefix === undefined) return withoutTrunkPrefix(digits, countryCode);
  const national = `+${countryCode}${digits.slice(trunkPrefix.length)}`;
  if (digits.startsWith(trunkPrefix) && isPossiblePhoneNumber(national)) return national;
  // National numbers begin with the trunk prefix, so a number without this prefix can only begin with a country code.
  return isInNumberingPlan(`+${digits}`) ? `+${digits}` : undefined;
}

function northAmerican(digits: string): string | undefined {
  const national = /^1?(\d{10})$/.exec(digits)?.[1];
  return national === undefined ? undefined : `+1${national}`;
}

/** Converts a number that was dialed in a country without a trunk prefix, where national numbers look like international ones. */
function withoutTrunkPrefix(digits: string, countryCode: string): string | undefined {
  const national = `+${countryCode}${digits}`;
  if (isInNumberingPlan(national)) return national;
  if (isInNumberingPlan(`+${digits}`)) return digits.startsWith(countryCode) ? `+${digits}` : undefined;
  return isPossiblePhoneNumber(national) ? national : undefined;
}
