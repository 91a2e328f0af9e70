import type { Bench } from './bench.ts';
import { judge, leastOf, textOf, timeRun, workload } from './workload.ts';

const ROUNDS = 5;
const STEPS = [10, 100, 1_000] as const;

/** Microseconds per step of the whole engine in memory, beside a loop written by hand. */
export const loop: Bench = {
  async run() {
    await timeRun({ steps: 200 });
    await timeByHand(200);
    console.log(
      `${'steps'.padEnd(8)}${'by hand'.padStart(14)}${'no hooks'.padStart(14)}${'todo hooks'.padStart(14)}${'ratios'.padStart(20)}`,
    );
    const perStep: number[] = [];
    for (const steps of STEPS) {
      const each = (time: number) => (time * 1_000) / steps;
      const byHand = each(await leastOf(ROUNDS, () => timeByHand(steps)));
      const none = each(await leastOf(ROUNDS, () => timeRun({ steps })));
      const todo = each(await leastOf(ROUNDS, () => timeRun({ steps, hooks: 'todo' })));
      perStep.push(none);
      const shown = [byHand, none, todo].map((time) => `${time.toFixed(1)} µs`.padStart(14));
      const ratios = [none, todo].map((time) => `${(time / byHand).toFixed(0)}×`).join(' ');
      console.log(`${String(steps).padEnd(8)}${shown.join('')}${ratios.padStart(20)}`);
    }
    return judge('time per step, 1000 over 100', (perStep[2] ?? 0) / (perStep[1] ?? 1), 1.5);
  },
};

/** The least that any loop has to do: ask, read the call, run it, remember both. */
async function timeByHand(steps: number): Promise<number> {
  const { model } = workload(steps);
  const messages: unknown[] = [{ role: 'user', content: 'Work.' }];
  const start = performance.now();
  for (;;) {
    const reply = await model.generate({ messages, tools: [] } as never, {
      signal: new AbortController().signal,
    });
    messages.push({ role: 'assistant', content: reply.text, calls: reply.calls });
    const [call] = reply.calls;
    if (call === undefined) return performance.now() - start;
    const input = JSON.parse(call.arguments) as { step: number };
    messages.push({ role: 'tool', callId: call.id, content: textOf(input.step) });
  }
}
