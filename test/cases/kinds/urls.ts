import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspectService, judgeAddresses } from '../../../src/facts/services.ts';
import { findAnswerProblem } from '../../../src/tools/image-scaling/service.ts';
import type { CaseKind } from '../case-kind.ts';
import { judgeBySides } from '../judged.ts';
import { type Row, readRows } from '../rows.ts';

interface UrlRow extends Row {
  readonly url: string;
  readonly expected: string;
  readonly dns_answers?: readonly string[];
  /** What the service does, in words: `302 Location: …`. */
  readonly sequence?: readonly string[];
}

export const urls: CaseKind = {
  async run(file) {
    const rows = await readRows<UrlRow>(file);
    const origins = await readOrigins(file);
    return judgeBySides(rows, (row) => {
      const inspected = inspectService(row.url, origins);
      const judged =
        row.dns_answers === undefined ? inspected : judgeAddresses(inspected, row.dns_answers);
      const isAllowed = judged.verdict === 'allow' && !isAnswerRefused(row.sequence ?? []);
      const expected = row.expected.startsWith('allow') ? 'allow' : 'refuse';
      return { expected, got: isAllowed ? 'allow' : 'refuse' };
    });
  },
};

function isAnswerRefused(sequence: readonly string[]): boolean {
  return sequence.some((step) => {
    const status = /^(\d{3})\b/u.exec(step)?.[1];
    return status !== undefined && findAnswerProblem(Number(status)) !== null;
  });
}

async function readOrigins(file: string): Promise<readonly string[]> {
  const beside = join(dirname(file), 'urls.policy.json');
  const ours = new URL('../urls.policy.json', import.meta.url);
  const policy = JSON.parse(await readFile(existsSync(beside) ? beside : ours, 'utf8')) as {
    readonly allowed_origins: readonly string[];
  };
  return policy.allowed_origins;
}
