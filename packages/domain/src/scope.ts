/** The permissions that a caller can have. `admin` includes all others; no other scope includes another. */
export const SCOPES = ["read", "write", "admin", "dni"] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];
