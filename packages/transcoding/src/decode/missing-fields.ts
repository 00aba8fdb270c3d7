import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { formatMapKeySegment, formatViolationPath, type ViolationPathSegment } from "./decode-state.js";

/** Lists the required fields that are unset in a message and in its nested messages, as paths of proto names. */
export function listMissingRequiredFields(desc: DescMessage, message: Message): readonly string[] {
  return [...findMissing(reflect(desc, message), [])];
}

function* findMissing(message: ReflectMessage, parents: readonly ViolationPathSegment[]): Iterable<string> {
  for (const field of message.fields) {
    const path = [...parents, field.name];
    if (!message.isSet(field)) {
      if (field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED) yield formatViolationPath(path);
    } else if (field.fieldKind === "message") {
      yield* findMissing(message.get(field), path);
    } else if (field.fieldKind === "list" && field.listKind === "message") {
      let index = 0;
      for (const item of message.get(field)) yield* findMissing(item as ReflectMessage, [...path, index++]);
    } else if (field.fieldKind === "map" && field.mapKind === "message") {
      for (const [key, value] of message.get(field)) {
        yield* findMissing(value as ReflectMessage, [...path, formatMapKeySegment(String(key))]);
      }
    }
  }
}
