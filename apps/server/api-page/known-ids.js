/** The lists that have the values of parameters whose own path is no list, with the field of their items. */
const OTHER_LISTS = new Map([
  ["account_id", ["/call_tracking/accounts", "account_token"]],
  ["property_token", ["/dni_manager/accounts/{account_id}/pools", "property_token"]],
  ["tracking_number", ["/dni_manager/tracking_numbers", "phone_number"]],
  ["phone_number", ["/dni_manager/tracking_numbers", "phone_number"]],
]);

/** Finds values of path parameters among the resources that exist, and remembers them until `forget`. */
export class KnownIds {
  #found = new Map();

  /**
   * @param {Record<string, Record<string, unknown>>} paths of the document.
   * @param {(path: string) => Promise<object[]>} list sends a GET request for the first items; rejects if it fails.
   */
  constructor(paths, list) {
    this.paths = paths;
    this.list = list;
  }

  /** Finds the values of a path's parameters, from left to right. A parameter without an existing resource is left out. */
  async find(path) {
    const values = new Map();
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
      const value = await this.#findValue(path, name, values);
      if (value !== undefined) values.set(name, String(value));
    }
    return values;
  }

  /** Forgets what exists, because a request may have changed it. */
  forget() {
    this.#found.clear();
  }

  async #findValue(path, name, values) {
    const own = path.slice(0, path.indexOf(`/{${name}}`));
    const [collection, field] = this.paths[own]?.get ? [own, name] : (OTHER_LISTS.get(name) ?? []);
    if (collection === undefined) return undefined;
    const needed = collection.includes("{account_id}") ? [...values, ...(await this.find("/{account_id}"))] : values;
    let target = collection;
    for (const [each, value] of needed) target = target.replace(`{${each}}`, encodeURIComponent(value));
    if (target.includes("{")) return undefined;
    const items = await this.#listOnce(target);
    return items.map((item) => (field in item ? item[field] : item.id)).find((value) => value != null);
  }

  #listOnce(target) {
    const items = this.#found.get(target) ?? this.list(target);
    this.#found.set(target, items);
    return items;
  }
}
