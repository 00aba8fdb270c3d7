import { createApiReference } from "@scalar/api-reference";
import "@scalar/api-reference/style.css";
import { addCodeSamples } from "./code-samples.js";
import { createExampleSender } from "./send-example.js";

const response = await fetch("openapi.json");
const apiDocument = await response.json();
addCodeSamples(apiDocument);

createApiReference("#app", {
  content: apiDocument,
  customFetch: createExampleSender(apiDocument),
  telemetry: false,
  withDefaultFonts: false,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: "direct",
  defaultOpenFirstTag: true,
  operationTitleSource: "summary",
  hideModels: true,
  persistAuth: false,
});
