export * from "./legacy.js";
