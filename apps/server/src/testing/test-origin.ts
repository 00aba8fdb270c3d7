import { createChangeOrigin } from "../access/change-origin.js";

/** Where changes come from that a test makes in the database itself. */
export const TEST_ORIGIN = createChangeOrigin("test", { kind: "operator" });
