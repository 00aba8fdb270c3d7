import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, decodeBinaryHeader } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema, HelpSchema } from "../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import type { RpcFailure } from "../responses/failure.js";
import { createGrpcFailureTrailers } from "./grpc-status.js";

const REASON = { desc: ErrorInfoSchema, value: { reason: "FIELDS_INVALID", domain: "example" } };

function write(message: string, details: RpcFailure["details"]) {
  const failure: RpcFailure = { code: Code.InvalidArgument, httpStatus: 400, message, details, headers: new Headers() };
  const trailers = createGrpcFailureTrailers(failure, {});
  const status = fromBinary(StatusSchema, decodeBinaryHeader(String(trailers["grpc-status-details-bin"])));
  return {
    status,
    message: decodeURIComponent(String(trailers["grpc-message"])),
    bytes: Object.entries(trailers).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0),
    reasons: status.details.map((detail) => anyUnpack(detail, ErrorInfoSchema)?.reason),
    violations: status.details.flatMap((detail) => anyUnpack(detail, BadRequestSchema)?.fieldViolations ?? []),
  };
}

/** Returns the details of an error with many violations of fields. */
function violate(count: number) {
  const fieldViolations = Array.from({ length: count }, (_, index) => ({
    field: `numbers[${index}]`,
    description: "must be a phone number in E.164 format ☎",
  }));
  return { desc: BadRequestSchema, value: { fieldViolations } };
}

test("a short status is complete", () => {
  const { status, message, violations } = write("100 % wrong ☎", [REASON, violate(3)]);
  expect([status.message, message]).toEqual(["100 % wrong ☎", "100 % wrong ☎"]);
  expect(violations).toMatchObject(violate(3).value.fieldViolations);
});

test.each([
  ["ASCII", "wrong number; "],
  ["percent signs", "100 %; "],
  ["other characters", "größe ☎ 😀; "],
])("a status with many violations and a long message of %s fits into the headers that clients accept", (_, text) => {
  const { bytes, message, status, reasons, violations } = write(text.repeat(10_000), [violate(5000), REASON]);
  expect(bytes).toBeLessThan(7 * 1024);
  expect(message).toMatch(/^(?:wrong|100|größe).*…$/su);
  expect(message.length).toBeGreaterThan(300);
  expect(status.message).toBe(message);
  expect(reasons).toContain("FIELDS_INVALID");
  expect(violations.length).toBeGreaterThan(10);
  expect(violations).toMatchObject(violate(violations.length).value.fieldViolations);
});

test("omits the largest detail of another type", () => {
  const help = {
    desc: HelpSchema,
    value: { links: [{ description: "x".repeat(10_000), url: "https://example.com" }] },
  };
  const { status, reasons } = write("wrong", [help, REASON]);
  expect(status.details).toHaveLength(1);
  expect(reasons).toEqual(["FIELDS_INVALID"]);
});
