/** The target of an attack. */
export interface AttackTarget {
  readonly port: number;
  /** Path of a list with some thousand entries. */
  readonly longList: string;
}

/** Outcome of an attack. */
export interface AttackResult {
  /** Opened connections. */
  opened: number;
  /** Connections closed by the server. */
  closed: number;
  /** Responses, by HTTP/1.1 status line. */
  readonly answers: Record<string, number>;
}

/** Attacks until the signal aborts. */
export type Attack = (target: AttackTarget, result: AttackResult, signal: AbortSignal) => Promise<void>;
