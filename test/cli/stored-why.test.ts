import { describe, expect, it } from 'vitest';
import { defineHook } from '../../src/hooks/index.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { answer, asked, callNote, noteTool, scriptedAgent } from '../run/support.ts';
import {
  agenthub,
  asJson,
  asks,
  databaseOf,
  type ScriptedRun,
  storeRun,
  timeless,
  zh,
} from './stored.ts';
import { temporaryFolder } from './temporary.ts';

async function why(steps: Parameters<typeof storeRun>[1], scripted: Omit<ScriptedRun, 'id'> = {}) {
  const cwd = await temporaryFolder();
  await storeRun(cwd, steps, { id: 'run-1', ...scripted });
  return whyIn(cwd);
}

/** What `why` says of the first call, in both languages and as JSON. */
async function whyIn(cwd: string) {
  const args = ['why', 'run-1', '1.0'];
  const english = await agenthub(cwd, args);
  const chinese = await agenthub(cwd, args, zh);
  const { json } = await asJson(cwd, args);
  expect([english.exitCode, english.err, chinese.err]).toEqual([0, '', '']);
  expect(chinese.out).not.toContain('undefined');
  return { en: timeless(english.out), zh: timeless(chinese.out), json };
}

/** A tool that never ends, until its process is gone. */
function stuckTool() {
  let isReached = () => {};
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  const { tool } = noteTool(() => {
    isReached();
    return new Promise<string>(() => {});
  });
  return { tool, reached };
}

describe('agenthub why', () => {
  it('an allowed call: every rule looked at, and the one that allows it', async () => {
    const told = await why([callNote('milk'), answer('ok')]);
    expect(told.en).toBe(
      [
        '1.0 note · ok',
        '#2 TIME the model asked for note',
        '    {"text":"milk"}',
        '#3 TIME evaluated: allow',
        '    facts {"touchesPrivate":false,"outsideAllowedArea":false,"serviceAllowed":true,"outputExists":false}',
        '    [ ] engine · deny: No policy covers this tool',
        '    [ ] engine · deny: It touches a private area; no ordinary approval lifts that',
        '    [x] policy · allow',
        '    [ ] engine · ask repeat: It started before and left no result, so it may have taken effect; running it again needs approval',
        '#4 TIME start 1',
        '#5 TIME came out: ok',
        'decided by: policy',
        'what would change it:',
        '  - A policy that denies it or asks',
        '',
      ].join('\n'),
    );
    expect(told.zh).toContain(
      [
        '1.0 note · 成功',
        '#2 TIME 模型要求 note',
        '    {"text":"milk"}',
        '#3 TIME 评估：allow',
      ].join('\n'),
    );
    expect(told.zh).toContain('    [ ] engine · deny: 未定义该工具\n');
    expect(told.zh).toContain('决定者：policy\n怎样会不同：\n  - 一条禁止或要求询问的策略\n');
    expect(told.json).toMatchObject({ stands: 'ok', decidedBy: 'policy', tool: 'note' });
  });

  it('a call that waits: what is missing', async () => {
    const told = await why([callNote('milk')], { options: asks });
    expect(told.en).toMatch(/^1\.0 note · waits for permission\n/u);
    expect(told.en).toContain(
      '    [x] policy · ask use: Each use of this tool needs a person to approve it\n',
    );
    expect(told.en).toMatch(
      /decided by: policy\nwhat would change it:\n {2}- Approval of use for note\n$/u,
    );
    expect(told.zh).toContain('1.0 note · 等待批准\n');
    expect(told.zh).toContain('  - 批准 use（note）\n');
    expect(told.json).toMatchObject({ stands: 'asked' });
  });

  it('an approved call: who approved what, and the rule that lifted', async () => {
    const atQuestion: ScriptedRun['atQuestion'] = (run) =>
      run.approve(asked(run), { by: 'ada', expiresAt: 4_000_000_000_000 });
    const told = await why([callNote('milk'), answer('ok')], { options: asks, atQuestion });
    expect(told.en).toContain('approved by ada (use of this tool) · until TIME\n');
    expect(told.en).toContain('approve it (lifted by an approval)\n');
    expect(told.en).toContain('    approval by ada (use of this tool), holds\n');
    expect(told.en).toContain('decided by: policy, lifted by ada\n');
    expect(told.en).toContain('  - Without that approval\n');
    expect(told.zh).toContain('ada 批准（使用这个工具） · 有效到 TIME\n');
    expect(told.zh).toContain('决定者：policy，由 ada 的批准解除\n');
  });

  it('a denied call: the person, their words, and what had been asked', async () => {
    const atQuestion: ScriptedRun['atQuestion'] = (run) =>
      run.deny('1.0', 'too dear', { by: 'ada' });
    const told = await why([callNote('milk'), answer('ok')], { options: asks, atQuestion });
    expect(told.en).toContain(
      [
        '#4 TIME denied by ada: too dear',
        '#4 TIME came out: denied',
        '    - person: The call was not approved: too dear',
        '    - rule: Each use of this tool needs a person to approve it',
        'decided by: person: ada',
      ].join('\n'),
    );
    expect(told.zh).toContain('#4 TIME ada 拒绝: too dear\n#4 TIME 结果：已拒绝\n');
    expect(told.zh).toContain('决定者：人：ada\n');
    expect(told.json).toMatchObject({ stands: 'denied', decidedBy: 'person: ada' });
  });

  it('a call that a policy denies', async () => {
    const options = { permissions: { policies: { note: 'deny' as const } } };
    const told = await why([callNote('milk'), answer('ok')], { options });
    expect(told.en).toContain('    [x] policy · deny: The policy forbids this tool\n');
    expect(told.en).toContain('decided by: policy\n');
    expect(told.zh).toContain('    [x] policy · deny: 策略禁止使用这个工具\n');
  });

  it('a hook-blocked call: every hook that it concerned, the words, the source', async () => {
    const hooks = [
      defineHook({ name: 'lookout', event: 'PreToolUse', run: () => ({ decision: 'proceed' }) }),
      defineHook({
        name: 'guard',
        event: 'PreToolUse',
        run: () => ({ decision: 'block', reason: 'not today' }),
      }),
    ];
    const told = await why([callNote('milk'), answer('ok')], { options: { hooks } });
    expect(told.en).toContain(
      [
        '#3 TIME hooks lookout, guard: block',
        '    - guard: not today',
        '#3 TIME came out: blocked by a hook',
        '    - hook: A hook blocked the call: guard: not today',
        'decided by: hook: A hook blocked the call: guard: not today',
        'what would change it:',
        '  - Another verdict of the hook',
      ].join('\n'),
    );
    expect(told.zh).toContain('#3 TIME 钩子 lookout, guard：block\n    - guard: not today\n');
    expect(told.zh).toContain('决定者：钩子：一个钩子阻止了这次调用：guard: not today\n');
    expect(told.json).toMatchObject({
      stands: 'blocked',
      entries: [{ kind: 'asked_for' }, { kind: 'hook', hooks: ['lookout', 'guard'] }, {}],
    });
  });

  it('a crashed call: the start without a result, the question, the answer', async () => {
    const cwd = await temporaryFolder();
    const { tool, reached } = stuckTool();
    const first = sqliteStore({ path: databaseOf(cwd) });
    const run = scriptedAgent([callNote('milk')], { store: first, tools: [tool] }).agent.start('t');
    await reached;
    await run.close();
    await first.close();
    const second = sqliteStore({ path: databaseOf(cwd) });
    const { agent } = scriptedAgent([answer('ok')], { store: second });
    const restored = await agent.restore('run-1');
    for await (const event of restored)
      if (event.type === 'permission.requested') restored.deny('1.0', 'look first', { by: 'ada' });
    await second.close();
    const told = await whyIn(cwd);
    expect(told.en).toMatch(/^1\.0 note · outcome unknown\n/u);
    expect(told.en).toContain(
      '#4 TIME start 1\n#5 TIME start 1 left no result: it may have taken effect\n',
    );
    expect(told.en).toContain(
      '    [x] engine · ask repeat: It started before and left no result, so it may have taken effect; running it again needs approval\n',
    );
    expect(told.en).toContain('denied by ada: look first\n');
    expect(told.en).toContain('decided by: person: ada\n');
    expect(told.en).toContain('  - Approval of repeat for note\n');
    expect(told.zh).toContain('第 1 次执行没有留下结果：可能已经生效\n');
    expect(told.json).toMatchObject({ stands: 'unknown', decidedBy: 'person: ada' });
    expect(told.json.entries.map(({ kind }: { kind: string }) => kind)).toEqual([
      'asked_for',
      'decision',
      'started',
      'lost',
      'decision',
      'answer',
      'settled',
    ]);
  });

  it('nobody answered in time, and a run that was cancelled while it asked', async () => {
    const late = await why([callNote('milk'), answer('ok')], {
      options: { ...asks, limits: { approvalDeadline: 1 } },
      atQuestion: () => {},
    });
    expect(late.en).toContain('nobody answered in time\n');
    const cancelled = await why([callNote('milk')], {
      options: asks,
      atQuestion: (run) => run.cancel({ by: 'ada' }),
    });
    expect(cancelled.en).toContain('the run was cancelled by ada\n');
    expect(cancelled.zh).toContain('ada 取消了运行\n');
  });

  it('names the calls there are', async () => {
    const cwd = await temporaryFolder();
    await storeRun(cwd, [callNote('a', 'b'), answer('ok')], { id: 'run-1' });
    const { exitCode, err } = await agenthub(cwd, ['why', 'run-1', '7.0']);
    expect([exitCode, err]).toEqual([
      2,
      'agenthub: Run run-1 has no call 7.0. Its calls: 1.0 (note, ok), 1.1 (note, ok).\n',
    ]);
  });
});
