import { z } from 'zod';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import { limitsSchema, policiesSchema } from '../run/options.ts';

const url = z.url({ protocol: /^https?$/u }).refine(hasNoCredentials, {
  message: 'an http or https URL without a user name or password',
});
const milliseconds = z.number().int().min(1).max(LONGEST_TIMER);
const text = z.string().min(1);

/**
 * What `agenthub.config.json` may hold. Published as `agenthub.schema.json`, with the descriptions
 * here and the defaults of `config.ts`; docs/configuration.md is generated from both.
 */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Address of the schema, for editors.'),
  model: z
    .strictObject({
      provider: z
        .enum(['offline', 'glm', 'deepseek', 'ollama', 'openai'])
        .optional()
        .describe('Where the model is; `offline` are rules, no model.'),
      name: text.optional().describe("The model's name at the provider, such as `glm-4.6`."),
      baseURL: url.optional().describe('Any OpenAI-compatible endpoint, instead of the preset.'),
      timeout: milliseconds.optional().describe('Milliseconds of silence that are waited for.'),
      maxRetries: z
        .number()
        .int()
        .min(0)
        .max(20)
        .optional()
        .describe('How often a request that got no reply is made again.'),
      stream: z.boolean().optional().describe('Whether replies are streamed.'),
    })
    .optional()
    .describe('The model that answers.'),
  protocol: z
    .enum(['native-calls', 'react-text'])
    .optional()
    .describe(
      'How the model writes its steps: as tool calls of the API, or as Thought / Action text.',
    ),
  locale: z
    .enum(['zh', 'en'])
    .optional()
    .describe('Language of the screen and of what the model is told.'),
  store: z
    .union([text, z.literal(false)])
    .optional()
    .describe('Database file that runs are kept in, or false for none.'),
  instructions: z.string().optional().describe('For the model, before everything else.'),
  knowledge: text.optional().describe('Folder of Markdown files that may be searched.'),
  files: z
    .strictObject({
      allowed: z
        .array(text)
        .min(1)
        .optional()
        .describe('Folders whose pictures may be used without asking.'),
      private: z.array(text).optional().describe('Folders that stay closed to every tool.'),
    })
    .optional()
    .describe('Where the picture tool may work.'),
  imageService: z
    .strictObject({
      url: url.describe('Address of the service.'),
      timeout: milliseconds.optional().describe('Milliseconds it may take.'),
    })
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
    .optional()
    .describe('What tools may do.'),
  limits: limitsSchema.optional().describe('How far a run may go before it is suspended.'),
  hooks: z
    .strictObject({
      todoReminder: z
        .boolean()
        .optional()
        .describe('Remind the model of open to-do items after each tool.'),
      unfinishedTodos: z
        .boolean()
        .optional()
        .describe('Keep the run going while to-do items are open.'),
    })
    .optional()
    .describe('The shipped hooks. Hooks of your own are code: see `--extension`.'),
});

export type ConfigFile = z.infer<typeof configSchema>;

function hasNoCredentials(address: string): boolean {
  if (!URL.canParse(address)) return true;
  const { username, password } = new URL(address);
  return username === '' && password === '';
}
