import { createElement as h, lazy, Suspense, useState } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";

/** Resolved by the test to let the browser load the code of the late components. */
const late = Promise.withResolvers();

/** Makes a component that the server renders at once, but whose code the browser loads late. */
const load = (component) =>
  globalThis.document ? lazy(() => late.promise.then(() => ({ default: component }))) : component;

const LateText = load(() => h("p", { id: "late" }, "Late 222-333-4444 ", h("input", { id: "late-name" })));
const LateNothing = load(() => null);

function Shop() {
  const [orders, setOrders] = useState(0);
  const [phone, setPhone] = useState("222-333-4444");
  return h(
    "main",
    null,
    h("p", { id: "text" }, "Call ", phone, " now, ", orders, " orders"),
    h("p", { id: "only" }, `Call ${phone}`),
    h("a", { id: "link", href: "tel:+12223334444", title: "222-333-4444" }, "(222) ", h("b", null, "333-4444")),
    // biome-ignore lint/security/noDangerouslySetInnerHtml: stands for the content of a CMS, which React does not own.
    h("p", { id: "html", dangerouslySetInnerHTML: { __html: "Call <i>222-333-4444</i>" } }),
    h("input", { id: "name" }),
    h("button", { id: "order", type: "button", onClick: () => setOrders(orders + 1) }, "Order"),
    h("button", { id: "reformat", type: "button", onClick: () => setPhone("222.333.4444") }, "Reformat"),
    h(Suspense, { fallback: "wait" }, h(LateText)),
    h(Suspense, { fallback: "wait" }, h("p", { id: "beside-late" }, "Beside 222-333-4444"), h(LateNothing)),
  );
}

export const render = () => renderToString(h(Shop));
export const hydrate = () => hydrateRoot(document.querySelector("#shop"), h(Shop));
export const hydrateLate = late.resolve;
