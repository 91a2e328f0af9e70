import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import { colorsOf, type Io, isLive } from '../io.ts';
import { readKey } from '../keys.ts';
import { say } from '../texts.ts';
import { wrapToWidth } from '../width.ts';

/**
 * Shows what trust would mean and asks for it at the terminal: `y` gives it; `n` and Esc do not, and
 * Enter does nothing. @throws AgentHubError `interrupted` for Ctrl-C.
 */
export async function askTrust(lines: readonly string[], io: Io, locale: Locale): Promise<boolean> {
  const { bold, yellow } = colorsOf(io);
  const columns = isLive(io) ? Math.max(20, io.stderr.columns || 80) - 1 : Number.POSITIVE_INFINITY;
  const [head = '', ...others] = lines.map((line) => wrapToWidth(line, columns, '    '));
  const show = () => {
    const shown = [...[head].flat().map((line) => bold(yellow(line))), ...others.flat()];
    io.stderr.write(`${shown.join('\n')}\n${bold(say(locale, 'trustKeys'))} `);
  };
  const { signal } = new AbortController();
  const key = await readKey(io, { show, signal, ignored: ['open'] });
  io.stderr.write('\n');
  if (key === 'interrupt') throw new AgentHubError('interrupted', say(locale, 'trustInterrupted'));
  return key === 'yes';
}
