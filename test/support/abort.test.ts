import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orAborted, timeLimit } from '../../src/support/abort.ts';
import { manualTimers } from './manual-timers.ts';
import { unheardRejections } from './unheard-rejections.ts';

const never = new Promise<never>(() => {});
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('work or what aborts it', () => {
  it('gives what the work gives, or what it fails of, and stops listening', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(orAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(listeners(signal)).toBe(0);
  });

  it('leaves with the signal’s reason, whatever the work does', async () => {
    const ending = new AbortController();
    const left = orAborted(never, ending.signal);
    ending.abort('enough');
    await expect(left).rejects.toBe('enough');
  });

  it('starts nothing for a signal that has aborted', async () => {
    await expect(orAborted(never, AbortSignal.abort('before'))).rejects.toBe('before');
  });

  it('hears out work that fails after it was left', async () => {
    let fail = (_: Error) => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const unheard = await unheardRejections(async () => {
      await expect(orAborted(work, AbortSignal.abort('left'))).rejects.toBe('left');
      fail(new Error('late'));
    });
    expect(unheard).toEqual([]);
  });
});

describe('a time limit', () => {
  it('aborts with its reason when the time is over', () => {
    const timers = manualTimers();
    const limit = timeLimit(50, { timers, reason: () => 'late' });
    timers.pass(49);
    expect([limit.signal.aborted, limit.isTimeout()]).toEqual([false, false]);
    timers.pass(1);
    expect([limit.signal.reason, limit.isTimeout()]).toEqual(['late', true]);
  });

  it('aborts with an AbortError without a reason', () => {
    const timers = manualTimers();
    const limit = timeLimit(50, { timers });
    timers.pass(50);
    expect(limit.signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it('follows the signal given, which is no timeout, before and after the time', () => {
    const timers = manualTimers();
    const ending = new AbortController();
    const limit = timeLimit(50, { timers, signal: ending.signal });
    ending.abort('cancelled');
    timers.pass(50);
    expect([limit.signal.reason, limit.isTimeout()]).toEqual(['cancelled', false]);
    const after = timeLimit(50, { timers, signal: ending.signal });
    expect(after.signal.reason).toBe('cancelled');
  });

  it('counts from the last sign of life', () => {
    const timers = manualTimers();
    const limit = timeLimit(50, { timers });
    timers.pass(49);
    limit.renew();
    timers.pass(49);
    expect(limit.signal.aborted).toBe(false);
    timers.pass(1);
    expect(limit.isTimeout()).toBe(true);
  });

  it('leaves no timer and no listener behind when it ends', () => {
    const timers = manualTimers();
    const ending = new AbortController();
    const limit = timeLimit(50, { timers, signal: ending.signal });
    limit.renew();
    limit.end();
    expect([timers.running, listeners(ending.signal)]).toEqual([0, 0]);
    ending.abort();
    expect(limit.signal.aborted).toBe(false);
  });

  it('has the clock’s timers by default', async () => {
    const limit = timeLimit(0);
    await new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
    expect(limit.isTimeout()).toBe(true);
  });
});
