import { printableJson } from '../../machines/vocabulary/printable.ts';
import { harmlessly } from '../support/harmlessly.ts';
import { defineHook } from './define-hook.ts';
import type { Hook, HookRunView } from './hook.types.ts';

/** Takes one line of text, without a line break. */
export type WriteLine = (line: string) => unknown;

const LONGEST_VALUE = 200;

/**
 * Four hooks, one per event, that hand one line of text per event to `write`:
 * `<event> run=<id> turn=<n> …`, values as JSON, long ones cut. They never block, and a writer
 * that throws or rejects harms nothing. It is for people to follow along; whoever needs a record
 * that must not have gaps reads the run's log.
 */
export function auditLine(write: WriteLine): Hook[] {
  return [
    defineHook({
      name: 'audit-line:UserPromptSubmit',
      event: 'UserPromptSubmit',
      run(view) {
        harmlessly(() => write(lineOf('UserPromptSubmit', view, { prompt: view.prompt })));
        return { decision: 'proceed' };
      },
    }),
    defineHook({
      name: 'audit-line:PreToolUse',
      event: 'PreToolUse',
      run(view) {
        const { callId: call, tool, input } = view;
        harmlessly(() => write(lineOf('PreToolUse', view, { call, tool, input })));
        return { decision: 'proceed' };
      },
    }),
    defineHook({
      name: 'audit-line:PostToolUse',
      event: 'PostToolUse',
      run(view) {
        const { callId: call, tool, outcome, ms, content } = view;
        const fields = { call, tool, outcome, ms, characters: content.length };
        harmlessly(() => write(lineOf('PostToolUse', view, fields)));
        return {};
      },
    }),
    defineHook({
      name: 'audit-line:Stop',
      event: 'Stop',
      run(view) {
        const { stopBlocks, answer } = view;
        harmlessly(() => write(lineOf('Stop', view, { stopBlocks, characters: answer.length })));
        return { decision: 'allow' };
      },
    }),
  ];
}

function lineOf(event: string, view: HookRunView, fields: Record<string, unknown>): string {
  const all = { run: view.runId, turn: view.turn, ...fields };
  const words = Object.entries(all).map(([name, value]) => `${name}=${shown(value)}`);
  return [event, ...words].join(' ');
}

function shown(value: unknown): string {
  const oneLine = printableJson(value);
  return oneLine.length > LONGEST_VALUE ? `${oneLine.slice(0, LONGEST_VALUE)}…` : oneLine;
}
