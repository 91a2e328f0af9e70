import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('both protocols run in a context without any built-ins of Node or a browser', async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../src/protocol/index.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'protocol',
    platform: 'browser',
    logLevel: 'silent',
  });
  const context = createContext({});
  runInContext(outputFiles[0]?.text ?? '', context);
  const script = `
    const messages = [{ role: 'user', content: 'tea?', context: [] }];
    const conversation = { instructions: '', tools: [], messages, locale: 'zh' };
    const read = (protocol, text) => protocol.parseReply({ text, calls: [], finishReason: 'stop' }, [], 'zh');
    JSON.stringify([
      protocol.reactText.toRequest(conversation).messages.length,
      protocol.nativeCalls.toRequest(conversation).messages.length,
      read(protocol.reactText, '思考：好\\n最终答案：绿').answer,
      read(protocol.nativeCalls, '<think>x</think>绿').answer,
      protocol.parseArguments('{"a": 1,}').value,
    ]);`;
  expect(JSON.parse(runInContext(script, context))).toEqual([2, 1, '绿', '绿', { a: 1 }]);
});
