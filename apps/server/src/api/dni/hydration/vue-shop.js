import { createSSRApp, h, ref } from "vue";
import { renderToString } from "vue/server-renderer";

const Shop = {
  setup() {
    const orders = ref(0);
    const phone = ref("222-333-4444");
    return () =>
      h("main", [
        h("p", { id: "text" }, `Call ${phone.value} now, ${orders.value} orders`),
        h("p", { id: "only" }, `Call ${phone.value}`),
        h("a", { id: "link", href: "tel:+12223334444", title: "222-333-4444" }, ["(222) ", h("b", "333-4444")]),
        h("p", { id: "html", innerHTML: "Call <i>222-333-4444</i>" }),
        h("input", { id: "name" }),
        h("button", { id: "order", type: "button", onClick: () => orders.value++ }, "Order"),
        h("button", { id: "reformat", type: "button", onClick: () => (phone.value = "222.333.4444") }, "Reformat"),
      ]);
  },
};

export const render = () => renderToString(createSSRApp(Shop));
export const hydrate = () => createSSRApp(Shop).mount("#app");
