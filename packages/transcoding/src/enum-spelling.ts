/** How enum values travel: `full` as ProtoJSON has it (`BOOK_KIND_NOVEL`), `lower` without the type's prefix (`novel`). */
export type EnumSpelling = "full" | "lower";
