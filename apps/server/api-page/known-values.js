/** Keys whose example values stand for values that the server assigns. */
const ASSIGNED = ["id", "started_at"];

/**
 * The values that the server assigned to the objects of the examples, by the examples' own values. Only objects that this page
 * created or listed within the example account count, so that no example names an object of anyone else.
 */
export class KnownValues {
  #known = new Map();

  /** Replaces the values of examples in a path or a body. */
  replaceIn(text) {
    return Array.from(this.#known).reduce((result, [example, value]) => result.replaceAll(example, value), text);
  }

  /** Learns the values of the objects in a response, from the example of that response. */
  learn(example, actual) {
    if (Array.isArray(example)) this.learn(example[0], actual?.[0]);
    else if (typeof example === "object" && example !== null && actual) {
      for (const [key, value] of Object.entries(example)) {
        if (!ASSIGNED.includes(key)) this.learn(value, actual[key]);
        else if (actual[key] !== undefined) this.#known.set(String(value), String(actual[key]));
      }
    }
  }
}
