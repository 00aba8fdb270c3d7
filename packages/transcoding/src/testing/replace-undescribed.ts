import { type DescEnum, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { hasPresence } from "../values/local-message.js";

/**
 * Replaces values that no schema describes, and returns the message: non-finite doubles and enum numbers without a name. In a
 * request, also the unspecified enum value, and empty texts, which would be omitted although they may be required.
 */
export function replaceUndescribed<T extends Message>(desc: DescMessage, message: T, isRequest: boolean): T {
  change(reflect(desc, message), isRequest);
  return message;
}

function change(message: ReflectMessage, isRequest: boolean): void {
  for (const field of message.fields.filter((each) => message.isSet(each) || (isRequest && !hasPresence(each)))) {
    if (field.fieldKind === "list") {
      const list = message.get(field);
      for (const [index, item] of [...list].entries()) list.set(index, changeValue(field, item, isRequest) as never);
    } else if (field.fieldKind === "map") {
      const map = message.get(field);
      for (const [key, item] of [...map]) map.set(key, changeValue(field, item, isRequest) as never);
    } else {
      message.set(field, changeValue(field, message.get(field), isRequest) as never);
    }
  }
}

interface ValueType {
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
  readonly scalar?: ScalarType | undefined;
}

function changeValue({ enum: desc, message, scalar }: ValueType, value: unknown, isRequest: boolean): unknown {
  if (desc !== undefined) return changeEnum(desc, value as number, isRequest);
  if (message !== undefined) {
    // The content of an Any is left unchanged.
    if (isRequest && message.typeName === "google.protobuf.Any") return reflect(message);
    const isPlain = !message.typeName.startsWith("google.protobuf.") || isWrapperDesc(message);
    if (isPlain) change(value as ReflectMessage, isRequest);
    return value;
  }
  if (isRequest && value === "") return "text";
  const isFloat = scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT;
  return isFloat && !Number.isFinite(value) ? 0.5 : value;
}

function changeEnum({ values }: DescEnum, number: number, isRequest: boolean): number {
  const known = values.find((value) => value.number === number);
  const isDescribed = known !== undefined && !(isRequest && known.name.endsWith("UNSPECIFIED"));
  return isDescribed ? number : (values[1]?.number ?? 0);
}
