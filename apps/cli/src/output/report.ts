import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Row } from "./resource-row.js";
import type { ResourceView } from "./resource-view.js";

/** A result that contains a list, and the text around the list. */
export interface Report<Desc extends DescMessage, Item extends DescMessage> {
  readonly view: ResourceView<Desc>;
  /** The whole result. */
  readonly message: MessageShape<Desc>;
  readonly itemView: ResourceView<Item>;
  /** The list in the result. */
  readonly items: readonly MessageShape<Item>[];
  /** Shown above the list, by name. */
  readonly facts?: Row;
  /** Lines above the list. */
  readonly warnings?: readonly string[];
  /** Lines below the list. */
  readonly remarks?: readonly string[];
}
