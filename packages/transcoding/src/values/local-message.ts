import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { Edition, FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";

/** A message as protobuf-es stores it: a property for each field outside a oneof, and one for each oneof. */
export type LocalMessage = Record<string, unknown>;

/** A wrapper type: a message whose only field is a scalar. */
type WrapperDesc = DescMessage & { readonly fields: readonly [DescField & { fieldKind: "scalar" }] };

/** A oneof as protobuf-es stores it. */
export interface LocalOneof {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/** Returns the same message, typed by its properties. */
export function toLocalMessage(message: Message): LocalMessage {
  return message as unknown as LocalMessage;
}

/** Whether an unset field differs from one with its default value (`field_presence` of the protobuf features). */
export function hasPresence(field: DescField): boolean {
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/** Creates the function that reads a field. It returns undefined for an unset field with presence, and the value of any other field. */
export function createGetter(field: DescField): (message: LocalMessage) => unknown {
  const name = field.localName;
  if (field.oneof !== undefined) {
    const oneofName = field.oneof.localName;
    return (message) => {
      const oneof = message[oneofName] as LocalOneof;
      return oneof.case === name ? oneof.value : undefined;
    };
  }
  // Outside proto3, a message's prototype holds the defaults of unset fields.
  return hasPresence(field) && field.parent.file.edition !== Edition.EDITION_PROTO3
    ? (message) => (Object.hasOwn(message, name) ? message[name] : undefined)
    : (message) => message[name];
}

/** Creates the function that sets a field, or the oneof that contains it. */
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

/** Returns the message type of a singular message field. Throws an Error for any other field. */
export function requireMessage(field: DescField): DescMessage {
  if (field.fieldKind !== "message") {
    throw new Error(`${field.parent.typeName}.${field.name} is not a message`);
  }
  return field.message;
}

/** Whether protobuf-es stores a field of a wrapper type (`google/protobuf/wrappers.proto`) as the bare value. */
export function isUnwrapped(field: DescField): field is DescField & { message: WrapperDesc } {
  return field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message);
}

/** Whether JSON null is a value of the field, not its absence. */
export function acceptsNull(field: DescField): boolean {
  const type = (field.message ?? field.enum)?.typeName;
  return type === "google.protobuf.Value" || type === "google.protobuf.NullValue";
}

/** Sets an own property, even if it is named `__proto__`. */
export function setOwnProperty(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Whether a value is a plain object, not a list or Map. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(Array.isArray(value) || value instanceof Map);
}
