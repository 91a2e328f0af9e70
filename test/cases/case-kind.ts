/** A row that did not give what it says. */
export interface CaseFailure {
  id: string;
  expected: unknown;
  got: unknown;
}

/** What came of a file of rows. `note` is printed before the closing line. */
export interface CaseReport {
  passed: number;
  failed: CaseFailure[];
  skipped: number;
  note?: string;
}

/** One kind of row: reads a file of them and judges each. */
export interface CaseKind {
  run(file: string): Promise<CaseReport>;
}
