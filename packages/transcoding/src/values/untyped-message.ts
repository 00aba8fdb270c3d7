import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { Edition, FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";

/** A message as protobuf-es stores it: an object with a property for each oneof and for each field outside a oneof. */
export type UntypedMessage = Record<string, unknown>;

/** A type in google/protobuf/wrappers.proto: a message whose only field is a scalar. */
type WrapperDesc = DescMessage & { readonly fields: readonly [DescField & { fieldKind: "scalar" }] };

/** A oneof as protobuf-es stores it. */
export interface UntypedOneof {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/** Returns the same object, typed so that its properties can be accessed by name. */
export function toUntypedMessage(message: Message): UntypedMessage {
  return message as unknown as UntypedMessage;
}

/** Whether an unset field is distinct from a field that has its default value (`field_presence` in the protobuf features). */
export function hasFieldPresence(field: DescField): boolean {
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/** Creates the function that returns a field's value: undefined for an unset field with presence, the default without presence. */
export function createMessageFieldGetter(field: DescField): (message: UntypedMessage) => unknown {
  const name = field.localName;
  if (field.oneof !== undefined) {
    const oneofName = field.oneof.localName;
    return (message) => {
      const oneof = message[oneofName] as UntypedOneof;
      return oneof.case === name ? oneof.value : undefined;
    };
  }
  // Outside proto3, the defaults of unset fields are properties of a message's prototype.
  return hasFieldPresence(field) && field.parent.file.edition !== Edition.EDITION_PROTO3
    ? (message) => (Object.hasOwn(message, name) ? message[name] : undefined)
    : (message) => message[name];
}

/** Creates the function that sets a field, or the oneof that contains the field. */
export function createMessageFieldSetter(field: DescField): (message: UntypedMessage, value: unknown) => void {
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

/** Returns the message type of a singular field whose type is a message. Throws an Error for any other field. */
export function requireMessageType(field: DescField): DescMessage {
  if (field.fieldKind !== "message") {
    throw new Error(`${field.parent.typeName}.${field.name} is not a message`);
  }
  return field.message;
}

/** Whether protobuf-es stores the bare value in a field whose type is a wrapper (google/protobuf/wrappers.proto). */
export function isUnwrappedField(field: DescField): field is DescField & { message: WrapperDesc } {
  return field.fieldKind === "message" && field.oneof === undefined && isWrapperDesc(field.message);
}

/** Whether JSON null is a value of this field. In all other fields, null means that the field is absent. */
export function fieldAcceptsNull(field: DescField): boolean {
  const type = (field.message ?? field.enum)?.typeName;
  return type === "google.protobuf.Value" || type === "google.protobuf.NullValue";
}

/** Sets an own property of an object, even if the property is named `__proto__`. */
export function setOwnProperty(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Whether a value is an object other than an array or a Map. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(Array.isArray(value) || value instanceof Map);
}
