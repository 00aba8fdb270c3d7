import { type DescEnum, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { hasPresence } from "../values/local-message.js";

/**
 * Changes what a message has that no schema describes: doubles that are no numbers and enum numbers without a name; for a
 * request also the enum value that stands for no choice, and the empty texts that would be left out although they may be
 * required. Returns the message.
 */
export function describeMessage<T extends Message>(desc: DescMessage, message: T, isRequest: boolean): T {
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
    // What is in it is changed by nobody here.
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
