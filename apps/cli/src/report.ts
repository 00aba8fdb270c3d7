import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Row } from "./resource-row.js";
import type { ResourceView } from "./views/resource-view.js";

/** A result that has a list in it, and what a person is told around that list. */
export interface Report<Desc extends DescMessage, Item extends DescMessage> {
  readonly view: ResourceView<Desc>;
  /** The whole result. */
  readonly message: MessageShape<Desc>;
  readonly itemView: ResourceView<Item>;
  /** The list in it. */
  readonly items: readonly MessageShape<Item>[];
  /** What stands above the list, by name. */
  readonly facts?: Row;
  /** Lines that stand above the list. */
  readonly warnings?: readonly string[];
  /** Lines that stand below the list. */
  readonly remarks?: readonly string[];
}
