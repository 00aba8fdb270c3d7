import { DOMParser, type Element } from "@xmldom/xmldom";

/** A TwiML verb, or a noun within a verb. */
export interface TwimlVerb {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text in the verb's element; empty if the verb contains nouns. */
  readonly text: string;
  readonly nested: readonly TwimlVerb[];
}

/** The supported attributes of each verb and noun. Other attributes cause an error, because ignoring them would change the meaning. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  Response: [],
  Say: ["language", "voice", "loop"],
  Play: ["loop"],
  Pause: ["length"],
  Gather: ["numDigits", "timeout", "action", "method", "input", "finishOnKey", "actionOnEmptyResult"],
  Dial: [
    ...["action", "method", "timeout", "timeLimit", "callerId", "answerOnBridge"],
    ...["record", "recordingStatusCallback", "recordingStatusCallbackMethod", "recordingStatusCallbackEvent"],
  ],
  Number: ["url", "method", "statusCallback", "statusCallbackMethod", "statusCallbackEvent"],
  Sip: ["url", "method", "statusCallback", "statusCallbackMethod", "statusCallbackEvent"],
  Record: [
    ...["action", "method", "maxLength", "finishOnKey", "timeout", "playBeep", "trim"],
    ...["recordingStatusCallback", "recordingStatusCallbackMethod", "recordingStatusCallbackEvent"],
  ],
  Hangup: [],
  Reject: ["reason"],
  Redirect: ["method"],
};

/**
 * Parses a TwiML document into its verbs.
 *
 * @throws Error that names an unsupported verb or attribute.
 */
export function parseTwiml(text: string): readonly TwimlVerb[] {
  const document = new DOMParser({
    onError: (level, message) => {
      throw new Error(`not well-formed (${level}): ${message}`);
    },
  }).parseFromString(text, "text/xml");
  const root = document.documentElement;
  if (root?.tagName !== "Response") throw new Error(`expected <Response>, not <${root?.tagName}>`);
  return readVerb(root).nested;
}

function readVerb(element: Element): TwimlVerb {
  const { tagName: name } = element;
  const known = KNOWN[name];
  if (known === undefined) throw new Error(`unsupported verb <${name}>`);
  const attributes = Object.fromEntries(Array.from(element.attributes, (each) => [each.name, each.value]));
  const unknown = Object.keys(attributes).filter((each) => !known.includes(each));
  if (unknown.length > 0) throw new Error(`unsupported attribute of <${name}>: ${unknown.join(", ")}`);
  const nested = Array.from(element.childNodes).filter((node): node is Element => node.nodeType === node.ELEMENT_NODE);
  const text = nested.length > 0 ? "" : (element.textContent ?? "").trim();
  return { name, attributes, text, nested: nested.map(readVerb) };
}
