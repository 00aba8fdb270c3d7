/** The permissions of callers. `admin` includes all others; no other scope includes another. */
export const SCOPES = ["read", "write", "admin", "dni", "calls"] as const;

export type Scope = (typeof SCOPES)[number];
