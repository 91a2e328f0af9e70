import { parseArguments } from '../../../src/protocol/json-arguments.ts';
import type { CaseKind } from '../case-kind.ts';
import { judgeRows, type Row, readRows } from '../rows.ts';

interface ArgumentsRow extends Row {
  /** A native call's arguments: text as a rule, or what a provider sent instead. */
  readonly arguments: unknown;
}

/** Native call arguments → `{ ok, value }` or `{ ok: false, code }`. */
export const toolArguments: CaseKind = {
  async run(file) {
    return judgeRows(await readRows<ArgumentsRow>(file), (row) => {
      const reading = parseArguments(row.arguments);
      return reading.ok ? reading : { ok: false, code: reading.code };
    });
  },
};
