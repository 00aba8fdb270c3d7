import { create, type Message, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { GetShelfRequestSchema, ListShelvesResponseSchema, ShelfSchema } from "../gen/library/v1/library_pb.js";
import { registerLibrary, SHELF } from "../testing/conformance.js";
import { FrameConnection, frameBytes, frameMessage } from "../testing/grpc-frames.js";
import { createLibrary } from "../testing/library.js";
import { rpcServerKinds } from "../testing/rpc-server-kinds.js";
import { runtimes } from "../testing/test-runtime.js";
import { OWN_ENCODING, type OwnEncoding } from "./own-encoding.js";

const UNREADABLE: OwnEncoding = { encodeField: () => undefined, encodeBinary: () => undefined };

function withEncoding<M extends Message>(message: M, encoding: Partial<OwnEncoding>): M {
  return Object.assign(message, { [OWN_ENCODING]: { ...UNREADABLE, ...encoding } });
}

describe.each(runtimes)("a response with its own encoding over $name", (runtime) => {
  const shelves = () =>
    create(ListShelvesResponseSchema, { shelves: [{ name: "of the message" }], nextPageToken: "7" });

  test.each([
    ["writes the field that is the body", { encodeField: () => '[{"name":"own"}]' }, [{ name: "own" }]],
    ["leaves a message that was read to the encoders", {}, [{ name: "of the message" }]],
  ])("%s", async (_, encoding, body) => {
    const library = createLibrary({ listShelves: () => withEncoding(shelves(), encoding) });
    await using server = await runtime.serve(library);
    const response = await server.send({ target: "/v1/shelves" });
    expect(JSON.parse(response.text)).toEqual(body);
    expect(response.headers["x-next-page-token"]).toBe("7");
  });
});

describe.each(rpcServerKinds.filter(({ isDirect }) => isDirect))(
  "a gRPC response with its own encoding: $name",
  (kind) => {
    const own = create(ShelfSchema, { name: "own" });
    const given = create(ShelfSchema, { name: "of the message" });

    test.each([
      ["writes the message", { encodeBinary: () => toBinary(ShelfSchema, own) }, own],
      ["leaves a message that was read to the encoders", {}, given],
    ])("%s", async (_, encoding, expected) => {
      const routes = registerLibrary({ getShelf: () => withEncoding(create(ShelfSchema, given), encoding) });
      await using server = await kind.serve("2", routes);
      using connection = new FrameConnection(server.url);
      const { body } = await connection.call({ pieces: [frameMessage(GetShelfRequestSchema, SHELF)] });
      expect(body).toEqual(frameBytes(toBinary(ShelfSchema, expected)));
    });
  },
);
