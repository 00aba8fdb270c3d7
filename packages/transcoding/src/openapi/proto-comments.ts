import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import type {
  DescriptorProto,
  EnumDescriptorProto,
  FileDescriptorProto,
  FileDescriptorSet,
  ServiceDescriptorProto,
} from "@bufbuild/protobuf/wkt";

/** A declaration that can have a comment. */
export type CommentedDescriptor = DescMessage | DescField | DescEnum | DescEnumValue | DescService | DescMethod;

/** The comments of protos, as CommonMark. */
export class ProtoComments {
  readonly #texts = new Map<string, string>();

  /** @param files the protos with source information; undefined for no comments. */
  constructor(files: FileDescriptorSet | undefined) {
    for (const file of files?.file ?? []) this.#addFile(file);
  }

  /** Finds the comment above a declaration, or the one after it. Returns undefined if it has none. */
  find(desc: CommentedDescriptor): string | undefined {
    return this.#texts.get(nameOf(desc));
  }

  // A location's path consists of field numbers of google/protobuf/descriptor.proto.
  #addFile(file: FileDescriptorProto): void {
    const comments = new Map<string, string>();
    for (const { path, leadingComments, trailingComments } of file.sourceCodeInfo?.location ?? []) {
      const text = leadingComments || trailingComments;
      if (text) comments.set(path.join(), unwrap(text));
    }
    const take = (name: string, path: string) => {
      const text = comments.get(path);
      if (text !== undefined) this.#texts.set(name, text);
    };
    const prefix = file.package === "" ? "" : `${file.package}.`;
    for (const [index, message] of file.messageType.entries()) addMessage(message, prefix, `4,${index}`, take);
    for (const [index, each] of file.enumType.entries()) addEnum(each, prefix, `5,${index}`, take);
    for (const [index, service] of file.service.entries()) addService(service, prefix, `6,${index}`, take);
  }
}

type Take = (name: string, path: string) => void;

function addMessage(message: DescriptorProto, prefix: string, path: string, take: Take): void {
  const name = prefix + message.name;
  take(name, path);
  for (const [index, field] of message.field.entries()) take(`${name}.${field.name}`, `${path},2,${index}`);
  for (const [index, nested] of message.nestedType.entries())
    addMessage(nested, `${name}.`, `${path},3,${index}`, take);
  for (const [index, nested] of message.enumType.entries()) addEnum(nested, `${name}.`, `${path},4,${index}`, take);
}

function addEnum(desc: EnumDescriptorProto, prefix: string, path: string, take: Take): void {
  const name = prefix + desc.name;
  take(name, path);
  for (const [index, value] of desc.value.entries()) take(`${name}.${value.name}`, `${path},2,${index}`);
}

function addService(service: ServiceDescriptorProto, prefix: string, path: string, take: Take): void {
  const name = prefix + service.name;
  take(name, path);
  for (const [index, method] of service.method.entries()) take(`${name}.${method.name}`, `${path},2,${index}`);
}

function nameOf(desc: CommentedDescriptor): string {
  return "parent" in desc && desc.kind !== "message" && desc.kind !== "enum"
    ? `${desc.parent.typeName}.${desc.name}`
    : desc.typeName;
}

/** Joins the lines of each paragraph, because some CommonMark renderers keep line breaks. Keeps lists and code unchanged. */
function unwrap(comment: string): string {
  const text = comment.replace(/^ /gm, "").trim();
  return text
    .split(/\n{2,}/)
    .map((paragraph) =>
      /^(?:[-*+] |\d+\. |```| {4})/m.test(paragraph) ? paragraph : paragraph.replace(/\s*\n\s*/g, " "),
    )
    .join("\n\n");
}
