import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, type FileDescriptorSet } from "@bufbuild/protobuf/wkt";

export type CommentedDescriptor = DescMessage | DescField | DescEnum | DescEnumValue | DescService | DescMethod;

/** The comments in protos, as CommonMark. */
export class ProtoComments {
  readonly #texts = new Map<string, string>();

  /** @param files the protos with source information. If undefined, no declaration has a comment. */
  constructor(files: FileDescriptorSet | undefined) {
    for (const file of files?.file ?? []) this.#addFile(file);
  }

  /** Finds the comment above a declaration, or the comment after it if there is none above. Returns undefined if there is neither. */
  find(desc: CommentedDescriptor): string | undefined {
    return this.#texts.get(nameOf(desc));
  }

  #addFile(file: FileDescriptorProto): void {
    for (const { path, leadingComments, trailingComments } of file.sourceCodeInfo?.location ?? []) {
      const text = leadingComments || trailingComments;
      const name = text && findDeclaration(file, path);
      if (name) this.#texts.set(name, unwrap(text));
    }
  }
}

/**
 * Finds the full name of the declaration at a path of `SourceCodeInfo.Location` (google/protobuf/descriptor.proto). The path consists of the
 * numbers of list fields, each followed by an index into the list. Returns undefined if the path leads to something that has no name.
 */
function findDeclaration(file: FileDescriptorProto, path: readonly number[]): string | undefined {
  const names = file.package === "" ? [] : [file.package];
  let desc: DescMessage | undefined = FileDescriptorProtoSchema;
  let declaration = file as unknown as Readonly<Record<string, unknown>>;
  for (let at = 0; at < path.length; at += 2) {
    const field: DescField | undefined = desc?.fields.find(({ number }) => number === path[at]);
    const list = field?.fieldKind === "list" ? (declaration[field.localName] as (typeof declaration)[]) : [];
    declaration = list[path[at + 1] ?? -1] ?? {};
    if (typeof declaration.name !== "string") return undefined;
    names.push(declaration.name);
    desc = field?.message;
  }
  return names.join(".");
}

function nameOf(desc: CommentedDescriptor): string {
  return "parent" in desc && desc.kind !== "message" && desc.kind !== "enum"
    ? `${desc.parent.typeName}.${desc.name}`
    : desc.typeName;
}

/** Joins the lines of each paragraph, because some CommonMark renderers keep line breaks. Does not change lists and code. */
function unwrap(comment: string): string {
  const text = comment.replace(/^ /gm, "").trim();
  return text
    .split(/\n{2,}/)
    .map((paragraph) =>
      /^(?:[-*+] |\d+\. |```| {4})/m.test(paragraph) ? paragraph : paragraph.replace(/(?<!\s)\s*\n\s*/g, " "),
    )
    .join("\n\n");
}
