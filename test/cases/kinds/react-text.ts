import { parseReactText } from '../../../src/protocol/react-text.parse.ts';
import type { CaseKind } from '../case-kind.ts';
import { judgeRows, type Row, readRows } from '../rows.ts';

interface ReactRow extends Row {
  /** A model's whole reply. */
  readonly input: string;
}

/** A model's text → `{ kind: action, tool, input }`, `{ kind: final, answer }` or an error code. */
export const reactText: CaseKind = {
  async run(file) {
    return judgeRows(await readRows<ReactRow>(file), ({ input }) => {
      const reading = parseReactText(input);
      if (reading.kind === 'error') return { kind: 'error', code: reading.code };
      if (reading.kind === 'final') return { kind: 'final', answer: reading.answer };
      return { kind: 'action', tool: reading.tool, input: reading.input };
    });
  },
};
