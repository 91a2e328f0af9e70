export type { Timers } from '../support/abort.ts';
export type { GenerateOptions, Model } from './model.types.ts';
export { openaiModel } from './openai-model.ts';
export { type OpenAIModelOptions, PRESETS as openaiPresets } from './openai-options.ts';
