/**
 * Abbreviations that programs read as different time zones, or as a time without daylight saving, and the zone that people mean most
 * often. `BST` is Bangladesh to Intl, Bougainville to others, and British Summer Time to people.
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
 * The rule for time zones: a name in the IANA database that has one meaning. Offsets such as `+01:00`, which Intl accepts, are rejected,
 * because PostgreSQL inverts their sign.
 */
export function timeZoneProblem(name: string): string | undefined {
  const meant = ABBREVIATIONS.get(name.toUpperCase());
  if (meant !== undefined)
    return `must not be the abbreviation ${name}, which has several meanings: write a name such as ${meant}`;
  return findCanonical(name) === undefined
    ? "must be a name in the IANA time zone database, such as Europe/Berlin"
    : undefined;
}

/** The areas whose names are installed on every system. */
const AREA = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)\//i;

/**
 * Returns the name of a valid time zone that all programs read alike: `Europe/Brussels` for `CET`, which PostgreSQL takes for an
 * abbreviation without daylight saving, and `America/Los_Angeles` for `US/Pacific`, which not every installation has. All names of the
 * universal time become `UTC`.
 */
export function canonicalTimeZone(name: string): string {
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
