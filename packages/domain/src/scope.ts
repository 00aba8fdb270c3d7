/** The permissions of API clients. `admin` includes all other scopes. No other scope includes another scope. */
export const SCOPES = ["read", "write", "admin", "dni", "calls"] as const;

export type Scope = (typeof SCOPES)[number];
