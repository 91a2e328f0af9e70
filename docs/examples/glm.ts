import { createAgent, openaiModel } from 'agenthub';

// #region
const { GLM_API_KEY, GLM_BASE_URL } = process.env;
const model = openaiModel({
  preset: 'glm',
  model: 'glm-4.6',
  ...(GLM_API_KEY && { apiKey: GLM_API_KEY }),
  ...(GLM_BASE_URL && { baseURL: GLM_BASE_URL }), // DeepSeek, vLLM, a gateway …
});
// #endregion

const run = createAgent({ model, protocol: 'native-calls', locale: 'zh' }).start('你好');
for await (const event of run) if (event.type === 'delta') process.stdout.write(event.delta.text);
const outcome = await run.outcome;
console.log(
  `\n${outcome.status}`,
  outcome.status === 'failed' ? outcome.error.code : outcome.usage,
);
