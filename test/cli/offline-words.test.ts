import { describe, expect, it } from 'vitest';
import { agenthub, zh } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

describe('what the offline rules and the hint say', () => {
  it('a picture that is not there is not there: nothing was refused', async () => {
    const cwd = await temporaryFolder();
    const en = await agenthub(cwd, ['run', 'Resize photo.jpg to 320 px wide, save as small.webp']);
    expect(en.out).toBe('It could not be carried out: "photo.jpg": there is no such file\n');
    const chinese = await agenthub(cwd, ['run', '把 photo.jpg 缩放到 320 宽，存成 small.webp'], zh);
    expect(chinese.out).toBe('没有执行："photo.jpg"：没有这个文件\n');
    expect(chinese.err).toContain('无法查明这次调用会触及什么："photo.jpg"：没有这个文件');
  });

  it('a greeting is two sentences', async () => {
    const { out } = await agenthub(await temporaryFolder(), ['run', 'hello']);
    expect(out).toMatch(/^Hello! I am the offline rules mode/u);
  });

  it('the hint names the variables that choose a model', async () => {
    const cwd = await temporaryFolder();
    const en =
      'No model is configured: offline rules answer (no LLM).\nSet AGENTHUB_PROVIDER and AGENTHUB_MODEL; the README says more.\n';
    expect((await agenthub(cwd, ['run', 'hello'])).err.startsWith(en)).toBe(true);
    expect((await agenthub(cwd, ['run', 'hello'], zh)).err).toMatch(
      /^没有配置模型：.*\n用 AGENTHUB_PROVIDER 和 AGENTHUB_MODEL 配置，见 README。\n/u,
    );
  });

  it.each([
    [
      'en',
      'The run is suspended: model_unavailable (unavailable: m at 127.0.0.1:9: no connection. Check the connection and the endpoint.)\n',
    ],
    [
      'zh',
      '运行已暂停：model_unavailable (unavailable: 连不上模型，或它现在不能回答。请检查网络和接口地址。（m at 127.0.0.1:9: no connection）)\n',
    ],
  ])(
    'in %s, a model that cannot be reached; without a store nobody is told to resume',
    async (locale, words) => {
      const cwd = await temporaryFolder({ 'agenthub.config.json': { model: { maxRetries: 0 } } });
      const args = ['run', 'hi', '--provider', 'openai', '--model', 'm'];
      const options = { env: { AGENTHUB_LOCALE: locale } };
      const unreachable = [...args, '--base-url', 'http://127.0.0.1:9/v1'];
      const { exitCode, err } = await agenthub(cwd, [...unreachable, '--no-store'], options);
      expect(exitCode).toBe(5);
      expect(err.endsWith(words)).toBe(true);
      expect(err).not.toMatch(/resume|接着运行/u);
      const stored = await agenthub(cwd, unreachable, options);
      expect(stored.err).toMatch(/agenthub resume [0-9a-f]{10} /u);
    },
  );
});
