/* global SwaggerUIBundle */

const dark = matchMedia("(prefers-color-scheme: dark)");

function followColorScheme() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

dark.addEventListener("change", followColorScheme);
followColorScheme();

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  // Swagger's own service would be asked to validate the document.
  validatorUrl: null,
});
