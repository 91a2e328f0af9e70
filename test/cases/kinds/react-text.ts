import { parseReactText } from '../../../src/protocol/react-text.parse.ts';
import type { CaseKind } from '../case-kind.ts';
import { judgeRows, type Row, readRows } from '../rows.ts';

interface ReactRow extends Row {
  /** A model's whole reply. */
  readonly input: string;
  /** Why the model stopped, where that matters. */
  readonly finishReason?: string;
  /** The tools it was offered, where that matters. */
  readonly tools?: readonly string[];
}

/** A model's text → `{ kind: action, tool, input }`, `{ kind: final, answer }` or an error code. */
export const reactText: CaseKind = {
  async run(file) {
    return judgeRows(await readRows<ReactRow>(file), ({ input, tools, finishReason }) => {
      const reading = parseReactText(input, new Set(tools), { isStopped: finishReason === 'stop' });
      if (reading.kind === 'error') return { kind: 'error', code: reading.code };
      if (reading.kind === 'final') return { kind: 'final', answer: reading.answer };
      return { kind: 'action', tool: reading.tool, input: reading.input };
    });
  },
};
