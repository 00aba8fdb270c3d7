import { createOrigin } from "../access/change-origin.js";

/** Where changes come from that a test makes in the database itself. */
export const TEST_ORIGIN = createOrigin("test", { kind: "operator" });
