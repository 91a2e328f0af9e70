import { describe, expect, it } from 'vitest';
import { defineHook, type HookStep, runStop, runUserPromptSubmit } from '../../src/hooks/index.ts';
import { options, steppingClock, stopping, view } from './views.ts';

describe('time and cancelling', () => {
  it('a hook that ignores its signal still times out, and is told', async () => {
    let told: AbortSignal | undefined;
    const hook = defineHook({
      name: 'slow',
      event: 'UserPromptSubmit',
      timeout: 1,
      run: (_, { signal }) => {
        told = signal;
        return new Promise<never>(() => {});
      },
    });
    const steps: HookStep[] = [];
    expect(await runUserPromptSubmit([hook], view, options(steps))).toEqual({
      verdict: 'failed',
      context: [],
      reasons: [{ source: 'slow', text: 'The hook did not answer within 1 ms' }],
    });
    expect(told?.aborted).toBe(true);
    expect(steps).toEqual([
      {
        hook: 'slow',
        event: 'UserPromptSubmit',
        startedAt: 1_000,
        ms: 5,
        verdict: 'failed',
        error: { code: 'hook_timeout', message: 'The hook did not answer within 1 ms' },
      },
    ]);
  });

  it('cancelling ends the hook that runs and starts no other', async () => {
    const controller = new AbortController();
    let started = 0;
    const waiting = (name: string) =>
      defineHook({
        name,
        event: 'Stop',
        run: () => {
          started += 1;
          controller.abort();
          return new Promise<never>(() => {});
        },
      });
    const stopped = await runStop([waiting('a'), waiting('b')], stopping, {
      signal: controller.signal,
      now: steppingClock(),
    });
    expect(started).toBe(1);
    expect(stopped.verdict).toBe('failed');
    expect(stopped.reasons.map(({ source }) => source)).toEqual(['a', 'b']);
  });

  it('leaves no timer and no listener behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    const before = timers().length;
    const hook = defineHook({ name: 'quick', event: 'Stop', run: () => ({ decision: 'allow' }) });
    await runStop([hook], stopping, options());
    expect(timers()).toHaveLength(before);
  });
});
