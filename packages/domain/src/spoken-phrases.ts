/** The default texts that people hear in calls, in one language. */
export interface SpokenPhrases {
  /** The prompt of a call that is not recorded. */
  readonly greeting: string;
  /** The prompt of a call that is recorded. */
  readonly recordingNotice: string;
  /** Asks the person who answers to press a key; `{digit}` stands for the key. */
  readonly acceptance: string;
  /** Replaces an unknown source in a whisper. */
  readonly unknownSource: string;
}

const ENGLISH: SpokenPhrases = {
  greeting: "Please hold while we connect your call.",
  recordingNotice: "Please hold while we connect your call. This call may be recorded.",
  acceptance: "To accept this call, press {digit}.",
  unknownSource: "an unknown source",
};

/** The translated phrases, keyed by the primary language subtag. */
const PHRASES: ReadonlyMap<string, SpokenPhrases> = new Map([
  ["en", ENGLISH],
  [
    "de",
    {
      greeting: "Bitte warten Sie, wir verbinden Sie.",
      recordingNotice: "Bitte warten Sie, wir verbinden Sie. Dieses Gespräch kann aufgezeichnet werden.",
      acceptance: "Um diesen Anruf anzunehmen, drücken Sie die {digit}.",
      unknownSource: "unbekannter Quelle",
    },
  ],
  [
    "fr",
    {
      greeting: "Veuillez patienter, nous vous mettons en relation.",
      recordingNotice: "Veuillez patienter, nous vous mettons en relation. Cet appel peut être enregistré.",
      acceptance: "Pour accepter cet appel, appuyez sur {digit}.",
      unknownSource: "source inconnue",
    },
  ],
  [
    "es",
    {
      greeting: "Espere, por favor, mientras conectamos su llamada.",
      recordingNotice: "Espere, por favor, mientras conectamos su llamada. Esta llamada puede ser grabada.",
      acceptance: "Para aceptar esta llamada, pulse {digit}.",
      unknownSource: "origen desconocido",
    },
  ],
  [
    "it",
    {
      greeting: "Attenda in linea mentre colleghiamo la sua chiamata.",
      recordingNotice: "Attenda in linea mentre colleghiamo la sua chiamata. La chiamata può essere registrata.",
      acceptance: "Per accettare questa chiamata, prema {digit}.",
      unknownSource: "origine sconosciuta",
    },
  ],
  [
    "pt",
    {
      greeting: "Aguarde, por favor, enquanto ligamos a sua chamada.",
      recordingNotice: "Aguarde, por favor, enquanto ligamos a sua chamada. Esta chamada pode ser gravada.",
      acceptance: "Para aceitar esta chamada, prima {digit}.",
      unknownSource: "origem desconhecida",
    },
  ],
  [
    "nl",
    {
      greeting: "Een ogenblik geduld, wij verbinden u door.",
      recordingNotice: "Een ogenblik geduld, wij verbinden u door. Dit gesprek kan worden opgenomen.",
      acceptance: "Toets {digit} om dit gesprek aan te nemen.",
      unknownSource: "onbekende bron",
    },
  ],
  [
    "pl",
    {
      greeting: "Proszę czekać, trwa łączenie rozmowy.",
      recordingNotice: "Proszę czekać, trwa łączenie rozmowy. Rozmowa może być nagrywana.",
      acceptance: "Aby odebrać to połączenie, naciśnij {digit}.",
      unknownSource: "nieznane źródło",
    },
  ],
  [
    "sv",
    {
      greeting: "Var god dröj, vi kopplar ditt samtal.",
      recordingNotice: "Var god dröj, vi kopplar ditt samtal. Samtalet kan komma att spelas in.",
      acceptance: "Tryck {digit} för att ta emot samtalet.",
      unknownSource: "okänd källa",
    },
  ],
  [
    "da",
    {
      greeting: "Vent venligst, mens vi stiller dig igennem.",
      recordingNotice: "Vent venligst, mens vi stiller dig igennem. Samtalen kan blive optaget.",
      acceptance: "Tryk {digit} for at tage imod opkaldet.",
      unknownSource: "ukendt kilde",
    },
  ],
]);

/**
 * The main language of each country, keyed by the country calling code. The region can be another one: Twilio and SignalWire document no voice for
 * tags such as `de-CH` and `es-AR`. They may play nothing for an unknown tag, so a caller would not hear that the call is recorded.
 */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["27", "en-ZA"],
  ["31", "nl-NL"],
  ["32", "nl-NL"],
  ["33", "fr-FR"],
  ["34", "es-ES"],
  ["351", "pt-PT"],
  ["353", "en-GB"],
  ["39", "it-IT"],
  ["41", "de-DE"],
  ["43", "de-DE"],
  ["44", "en-GB"],
  ["45", "da-DK"],
  ["46", "sv-SE"],
  ["48", "pl-PL"],
  ["49", "de-DE"],
  ["51", "es-MX"],
  ["52", "es-MX"],
  ["54", "es-MX"],
  ["55", "pt-BR"],
  ["56", "es-MX"],
  ["57", "es-MX"],
  ["61", "en-AU"],
  ["64", "en-NZ"],
]);

/** The language of texts for phone numbers in countries that `LANGUAGES` does not list. */
export const DEFAULT_SPOKEN_LANGUAGE = "en-US";

/** Returns the main language in the country of a phone number, as a BCP 47 tag. Returns English for a country without an entry. */
export function findPhoneNumberLanguage(phoneNumber: string): string {
  // At most one of the three prefixes is a country code, because no country code is a prefix of another one.
  const code = [2, 3, 4].map((end) => phoneNumber.slice(1, end)).find((each) => LANGUAGES.has(each));
  return LANGUAGES.get(code ?? "") ?? DEFAULT_SPOKEN_LANGUAGE;
}

/** Returns the phrases in a language, and that language. If there is no translation, returns the English phrases and `en-US`. */
export function findSpokenPhrases(language: string): SpokenPhrases & { readonly language: string } {
  const phrases = PHRASES.get(language.split("-", 1)[0]?.toLowerCase() ?? "");
  return phrases === undefined ? { ...ENGLISH, language: DEFAULT_SPOKEN_LANGUAGE } : { ...phrases, language };
}
