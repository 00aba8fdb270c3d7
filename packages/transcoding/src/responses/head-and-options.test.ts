import { describe, expect, test } from "vitest";
import { createLibrary } from "../testing/library.js";
import { testRuntimes } from "../testing/test-runtime.js";

const library = () => createLibrary({ getShelf: ({ name }) => ({ name }) });

describe.each(testRuntimes)("over $name", ({ serve }) => {
  test("rule 21: serves HEAD for every GET", async () => {
    await using server = await serve(library());
    const response = await server.send({ method: "HEAD", target: "/v1/shelves/7" });
    expect(response).toMatchObject({
      status: 200,
      text: "",
      headers: { "content-type": "application/json", "content-length": "20" },
    });
    expect((await server.send({ method: "HEAD", target: "/v1/nothing" })).status).toBe(404);
    expect((await server.send({ method: "HEAD", target: "/v1:echo" })).status).toBe(405);
  });

  test("rule 21: answers OPTIONS with 204 and Allow", async () => {
    await using server = await serve(library());
    const response = await server.send({ method: "OPTIONS", target: "/v1/shelves/7" });
    expect(response).toMatchObject({ status: 204, text: "", headers: { allow: "DELETE, GET, HEAD, OPTIONS, PUT" } });
    expect((await server.send({ method: "OPTIONS", target: "/v1/nothing" })).status).toBe(404);
  });
});
