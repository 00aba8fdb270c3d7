import { findPathProblem, normalizePathEscapes } from "./path-escape.js";
import { type PathTemplate, PathTemplateError, type TemplateSegment, type TemplateVariable } from "./path-template.js";

/**
 * Parses a path template of google/api/http.proto. Also allows `/` alone, and literals and `*` after `**`, as in APIs that Google publishes.
 *
 * @throws PathTemplateError for a text that violates the grammar.
 */
export function parsePathTemplate(text: string): PathTemplate {
  return new TemplateParser(text).template();
}

const WILDCARD = /\*+/y;
const IDENT = /[A-Za-z_][A-Za-z0-9_]*/y;
const LITERAL_START = /[A-Za-z0-9\-._~!$&'()+,;=@]/;
const LITERAL = /(?:[A-Za-z0-9\-._~!$&'()+,;=@]|%[0-9A-Fa-f]{2})+/y;

/**
 * A recursive descent parser for the grammar in google/api/http.proto. That file does not define IDENT and LITERAL:
 *
 * ```
 * Template  = "/" [ Segments [ Verb ] ] ;
 * Segments  = Segment { "/" Segment } ;
 * Segment   = "*" | "**" | LITERAL | Variable ;
 * Variable  = "{" FieldPath [ "=" Segments ] "}" ;
 * FieldPath = IDENT { "." IDENT } ;
 * Verb      = ":" LITERAL ;
 * IDENT     = ( ALPHA | "_" ) { ALPHA | DIGIT | "_" } ;
 * LITERAL   = ( pchar of RFC 3986 but ":" and "*" ) { … } ;
 * ```
 *
 * A template has at most one `**`. It binds no field twice. A variable does not contain another variable.
 */
class TemplateParser {
  readonly #text: string;
  readonly #segments: TemplateSegment[] = [];
  readonly #variables: TemplateVariable[] = [];
  #position = 0;
  #inVariable = false;

  constructor(text: string) {
    this.#text = text;
  }

  template(): PathTemplate {
    if (!this.#take("/")) throw this.#error('begin the template with "/"');
    if (this.#atEnd()) return { segments: [], verb: undefined, variables: [] };
    this.#parseSegments();
    const verb = this.#take(":") ? this.#parseLiteral("a verb") : undefined;
    if (!this.#atEnd())
      throw this.#error(
        verb === undefined ? this.#expected() : "end the template here, because nothing can follow the verb",
      );
    return { segments: this.#segments, verb, variables: this.#variables };
  }

  #parseSegments(): void {
    do this.#parseSegment();
    while (this.#take("/"));
  }

  #parseSegment(): void {
    const column = this.#position + 1;
    const wildcard = this.#match(WILDCARD);
    if (wildcard !== undefined) this.#pushWildcard(wildcard, column);
    else if (this.#take("{")) this.#parseVariable(column);
    else this.#segments.push({ kind: "literal", value: this.#parseLiteral("a segment") });
  }

  #pushWildcard(wildcard: string, column: number): void {
    if (wildcard.length > 2) throw this.#error('write "*" for one segment or "**" for any number of them', column);
    const kind = wildcard === "*" ? "single" : "multi";
    if (kind === "multi" && this.#segments.some((segment) => segment.kind === "multi")) {
      throw this.#error('remove all but one "**", because two would make matching ambiguous', column);
    }
    this.#segments.push({ kind });
  }

  #parseVariable(column: number): void {
    if (this.#inVariable) throw this.#error("move this variable out of the enclosing variable", column);
    const fieldPath = this.#parseFieldPath();
    const start = this.#segments.length;
    this.#inVariable = true;
    if (this.#take("=")) this.#parseSegments();
    else this.#segments.push({ kind: "single" });
    this.#inVariable = false;
    if (!this.#take("}")) throw this.#error('close the variable with "}"');
    const end = this.#segments.length;
    const multi = end - start > 1 || this.#segments[start]?.kind === "multi";
    this.#variables.push({ fieldPath, start, end, multi });
  }

  #parseFieldPath(): string {
    const start = this.#position;
    do {
      if (this.#match(IDENT) === undefined) throw this.#error("name a field of the request here");
    } while (this.#take("."));
    const fieldPath = this.#text.slice(start, this.#position);
    if (this.#variables.some((variable) => variable.fieldPath === fieldPath)) {
      throw this.#error(`bind "${fieldPath}" only once`, start + 1);
    }
    return fieldPath;
  }

  #parseLiteral(what: string): string {
    const start = this.#position;
    const literal = this.#match(LITERAL);
    if (literal === undefined) {
      throw this.#error(this.#atEnd() || "/:}".includes(this.#peek()) ? `put ${what} here` : this.#expected());
    }
    if (findPathProblem(literal) !== undefined)
      throw this.#error("make the percent-encoded bytes valid UTF-8", start + 1);
    return normalizePathEscapes(literal);
  }

  /** Returns the advice for the template's author about an unexpected character at the current position. */
  #expected(): string {
    const character = this.#peek();
    if (character === "%") return 'write two hexadecimal digits after "%"';
    if (character === "*" || character === "{") return `begin a segment with "${character}", or percent-encode it`;
    if (LITERAL_START.test(character)) return 'put "/" between two segments';
    return `percent-encode "${character}": it is not allowed in a path`;
  }

  /** @param column the position of the error, counted from 1. */
  #error(advice: string, column = this.#position + 1): Error {
    return new PathTemplateError(this.#text, column, advice);
  }

  #atEnd(): boolean {
    return this.#position === this.#text.length;
  }

  #peek(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#position) ?? 0);
  }

  #take(character: string): boolean {
    if (!this.#text.startsWith(character, this.#position)) return false;
    this.#position += character.length;
    return true;
  }

  #match(token: RegExp): string | undefined {
    token.lastIndex = this.#position;
    const text = token.exec(this.#text)?.[0];
    this.#position += text?.length ?? 0;
    return text;
  }
}
