/** A row that came out otherwise than its file says. */
export interface CaseFailure {
  readonly id: string;
  readonly expected: unknown;
  readonly got: unknown;
}

/** What came of one file of rows. */
export interface CaseReport {
  readonly passed: number;
  readonly failed: readonly CaseFailure[];
  /** Scenarios in words, and rows for another platform. */
  readonly skipped: number;
  /** A line of figures, printed just before the totals. */
  readonly note?: string;
}

/**
 * How the rows of one kind are judged. Lives in `kinds/<kind>.ts`, exported under the kind's
 * name in camel case (`kinds/knowledge-search.ts` exports `knowledgeSearch`).
 */
export interface CaseKind {
  /** Judges every row of a JSON file; rejects only when the file is not of this form. */
  run(file: string): Promise<CaseReport>;
}
