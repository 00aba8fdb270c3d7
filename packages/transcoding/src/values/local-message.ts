import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { Edition, FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";

/** A message as protobuf-es stores it: a property for each field outside a oneof, and one for each oneof. */
export type LocalMessage = Record<string, unknown>;

/** A oneof as protobuf-es stores it. */
export interface LocalOneof {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/** Returns the properties of a message. */
export function localMessage(message: Message): LocalMessage {
  return message as unknown as LocalMessage;
}

/** Whether an unset field can be told from one that holds its default (`field_presence` of the protobuf features). */
export function hasPresence(field: DescField): boolean {
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/**
 * Creates the function that reads a field. It returns undefined where a field with presence is unset, and what the field
 * holds otherwise.
 */
export function createGetter(field: DescField): (message: LocalMessage) => unknown {
  const name = field.localName;
  if (field.oneof !== undefined) {
    const oneofName = field.oneof.localName;
    return (message) => {
      const oneof = message[oneofName] as LocalOneof;
      return oneof.case === name ? oneof.value : undefined;
    };
  }
  // The prototypes of messages outside proto3 hold the defaults of unset fields.
  return hasPresence(field) && field.parent.file.edition !== Edition.EDITION_PROTO3
    ? (message) => (Object.hasOwn(message, name) ? message[name] : undefined)
    : (message) => message[name];
}

/** Creates the function that sets a field, and with it its oneof. */
export function createSetter(field: DescField): (message: LocalMessage, value: unknown) => void {
  const name = field.localName;
  if (field.oneof !== undefined) {
    const oneofName = field.oneof.localName;
    return (message, value) => {
      message[oneofName] = { case: name, value };
    };
  }
  return (message, value) => {
    message[name] = value;
  };
}

/** Returns the type of a singular message field; throws an Error for any other. */
export function requireMessage(field: DescField): DescMessage {
  if (field.fieldKind !== "message") {
    throw new Error(`${field.parent.typeName}.${field.name} is not a message`);
  }
  return field.message;
}

/** Whether a field of a wrapper type (`google/protobuf/wrappers.proto`) holds the bare value and not a message. */
export function isUnwrapped(field: DescField): boolean {
  return field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message);
}

/** Whether null is a value of the field and does not stand for its absence. */
export function takesNull(field: DescField): boolean {
  const type = (field.message ?? field.enum)?.typeName;
  return type === "google.protobuf.Value" || type === "google.protobuf.NullValue";
}

/** Sets a property, also one named `__proto__`, as an own one. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Whether a value is an object of members, and no list or Map. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(Array.isArray(value) || value instanceof Map);
}
