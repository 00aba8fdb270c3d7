/** Well-formed strings that tend to break servers, used as field values and as names. */
export const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "__proto__",
  "constructor",
  "toString",
  "é".repeat(300),
  "x".repeat(5000),
  "\u{10ffff}",
  "\ufeff",
  "\r\nx: y",
  "%",
  "%00",
  "1",
  "-1",
  "99999999999999999999",
  "1e400",
  "NaN",
  "+12223334444",
  "2024-02-30T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "00000000-0000-0000-0000-000000000000",
  "eyJhIjoxfQ",
  "grpc.health.v1.Health",
  "calltracking.v1.PoolService",
];

/** `ODD_TEXTS`, and strings with unpaired surrogates, which JSON escapes allow. */
export const ODD_JSON_TEXTS: readonly string[] = [...ODD_TEXTS, "\ud800", "a\udc00b", "\udfff\ud800"];
