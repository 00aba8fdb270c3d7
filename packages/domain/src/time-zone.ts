/**
 * The time zones that people usually mean by ambiguous abbreviations, keyed by the abbreviation. Programs read an abbreviation as another time zone,
 * or as a time without daylight saving. For example, `BST` is Bangladesh for Intl, Bougainville for other programs, and British Summer Time for
 * people.
 */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ ACT: "Australia/Darwin", AET: "Australia/Sydney", AGT: "America/Argentina/Buenos_Aires", ART: "Africa/Cairo" },
    ...{ AST: "America/Halifax", BET: "America/Sao_Paulo", BST: "Europe/London", CAT: "Africa/Harare" },
    ...{ CNT: "America/St_Johns", CST: "America/Chicago", CTT: "Asia/Shanghai", EAT: "Africa/Nairobi" },
    ...{ ECT: "Europe/Paris", EST: "America/New_York", IET: "America/Indiana/Indianapolis", IST: "Asia/Kolkata" },
    ...{ JST: "Asia/Tokyo", MIT: "Pacific/Apia", MST: "America/Denver", NET: "Asia/Yerevan", NST: "Pacific/Auckland" },
    ...{ PLT: "Asia/Karachi", PNT: "America/Phoenix", PRT: "America/Puerto_Rico", PST: "America/Los_Angeles" },
    ...{ SST: "Pacific/Guadalcanal", VST: "Asia/Ho_Chi_Minh" },
  }),
);

/**
 * The rule for time zones: an unambiguous name in the IANA time zone database. Rejects offsets such as `+01:00`, which Intl accepts, because
 * PostgreSQL inverts their sign.
 */
export function findTimeZoneProblem(name: string): string | undefined {
  const meant = ABBREVIATIONS.get(name.toUpperCase());
  if (meant !== undefined)
    return `must not be the abbreviation ${name}, which has several meanings: use a name such as ${meant}`;
  return findCanonical(name) === undefined
    ? "must be a name in the IANA time zone database, such as Europe/Berlin"
    : undefined;
}

/** Matches the names of time zones in the areas that every installation of the IANA time zone database includes. */
const AREA = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)\//i;

/**
 * Returns the name of a valid time zone that all programs understand alike. This is `Europe/Brussels` for `CET`, which PostgreSQL reads as an
 * abbreviation without daylight saving. It is `America/Los_Angeles` for `US/Pacific`, which not every installation knows. It is `UTC` for all
 * names of universal time.
 */
export function canonicalizeTimeZone(name: string): string {
  const canonical = findCanonical(name) ?? name;
  return canonical !== "UTC" && AREA.test(name) ? name : canonical;
}

function findCanonical(name: string): string | undefined {
  try {
    return /^[a-z]/i.test(name)
      ? new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone
      : undefined;
  } catch {
    return undefined;
  }
}
