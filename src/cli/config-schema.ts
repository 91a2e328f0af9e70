import { z } from 'zod';
import { limitsSchema, policiesSchema } from '../run/options.ts';

const url = z.url({ protocol: /^https?$/u }).refine(hasNoCredentials, {
  message: 'an http or https URL without a user name or password',
});
const milliseconds = z.number().int().min(1).max(2_147_483_647);
const text = z.string().min(1);

/** What `agenthub.config.json` may hold. Published as `agenthub.schema.json`. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  model: z
    .strictObject({
      provider: z
        .enum(['offline', 'glm', 'deepseek', 'ollama', 'openai'])
        .optional()
        .describe('Where the model is; `offline` are rules, no model. Default `offline`.'),
      name: text.optional().describe("The model's name at the provider, such as `glm-4.6`."),
      baseURL: url.optional().describe('Any OpenAI-compatible endpoint, instead of the preset.'),
      timeout: milliseconds.optional().describe('Milliseconds of silence. Default 300000.'),
      maxRetries: z.number().int().min(0).max(20).optional().describe('Default 2.'),
      stream: z.boolean().optional().describe('Default true.'),
    })
    .optional(),
  protocol: z
    .enum(['native-calls', 'react-text'])
    .optional()
    .describe('How the model writes its steps. Default `native-calls`.'),
  locale: z
    .enum(['zh', 'en'])
    .optional()
    .describe('Language of the screen and of what the model is told. Default: the environment.'),
  store: z
    .union([text, z.literal(false)])
    .optional()
    .describe(
      'Database file that runs are kept in, or false. Default `.agenthub/runs.db` where you are.',
    ),
  instructions: z.string().optional().describe('For the model, before everything else.'),
  knowledge: text.optional().describe('Folder of Markdown files that may be searched.'),
  files: z
    .strictObject({
      allowed: z
        .array(text)
        .min(1)
        .optional()
        .describe('Folders whose pictures may be used without asking. Default: where you are.'),
      private: z.array(text).optional().describe('Folders that stay closed to every tool.'),
    })
    .optional(),
  imageService: z
    .strictObject({ url, timeout: milliseconds.optional() })
    .optional()
    .describe('Scales pictures through a service instead of in this process.'),
  allowedServices: z
    .array(url)
    .optional()
    .describe('Exact origins that may be used without asking, such as `https://img.example`.'),
  permissions: z
    .strictObject({
      policies: policiesSchema
        .optional()
        .describe('Policies by tool name, over the shipped ones. A tool without one is denied.'),
    })
    .optional(),
  limits: limitsSchema.optional(),
  hooks: z
    .strictObject({
      todoReminder: z.boolean().optional().describe('Default true.'),
      unfinishedTodos: z.boolean().optional().describe('Default true.'),
    })
    .optional(),
});

export type ConfigFile = z.infer<typeof configSchema>;

function hasNoCredentials(address: string): boolean {
  if (!URL.canParse(address)) return true;
  const { username, password } = new URL(address);
  return username === '' && password === '';
}
