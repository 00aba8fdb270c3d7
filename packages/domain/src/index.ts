export * from "./account.js";
export { DomainError, type DomainErrorFacts, type DomainErrorReason } from "./domain-error.js";
export type { FieldViolation } from "./field-violation.js";
export type { PageRequest } from "./page.js";
export * from "./phone-number.js";
export * from "./pool.js";
export { parseUuid } from "./uuid.js";
