import { z } from 'zod';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import type { ToolSpec } from '../../machines/vocabulary/model.ts';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import { hasProtoProperty } from './inherited.ts';
import type { Tool } from './tool.types.ts';

/** How long a tool may run when it does not say: one minute, in milliseconds. */
export const DEFAULT_TOOL_TIMEOUT = 60_000;

type Defaulted = 'textField' | 'safeToRepeat' | 'oncePerReply' | 'timeout' | 'inspectFacts';

/** A tool as it is written: what has a default may be left out. */
export type ToolDefinition<Input> = Omit<Tool<Input>, Defaulted> &
  Partial<Pick<Tool<Input>, Defaulted>>;

/**
 * Makes a tool, with these defaults: no `textField`, not safe to repeat, any number per reply,
 * {@link DEFAULT_TOOL_TIMEOUT}, and no facts. Throws `invalid_tool` naming what is wrong.
 */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  const tool: Tool<Input> = {
    textField: null,
    safeToRepeat: false,
    oncePerReply: false,
    timeout: DEFAULT_TOOL_TIMEOUT,
    inspectFacts: async () => ({}),
    ...definition,
  };
  requireTool(tool);
  return tool;
}

/**
 * A tool as a model is told about it. A field's description is the schema's own; with
 * `.meta({ description, zh })` it is given in both languages.
 */
export function toToolSpec(tool: Tool, locale: Locale): ToolSpec {
  return {
    name: tool.name,
    description: tool.description[locale],
    inputSchema: toInputSchema(tool.input, locale),
    textField: tool.textField,
    oncePerReply: tool.oncePerReply,
  };
}

/** The JSON Schema (draft 2020-12) of a tool's input as a model has to write it. */
export function toInputSchema(schema: z.ZodType, locale: Locale): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      const translated = jsonSchema.zh;
      delete jsonSchema.zh;
      if (locale === 'zh' && typeof translated === 'string') jsonSchema.description = translated;
    },
  });
  return JSON.parse(JSON.stringify(json)) as JsonObject;
}

/** @throws AgentHubError `invalid_tool` for what is no whole tool, however it was made. */
export function requireTool<Input>(tool: Tool<Input>): void {
  const { name, description, textField, timeout } = tool;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/u.test(name)) {
    throw invalid(name, 'a name has 1 to 64 letters, digits, "_" or "-"');
  }
  for (const locale of ['zh', 'en'] as const) {
    const text: unknown = description?.[locale];
    if (typeof text !== 'string' || text.trim() === '') {
      throw invalid(name, `description.${locale} must say what the tool does`);
    }
  }
  if (typeof tool.execute !== 'function') throw invalid(name, 'execute must be a function');
  if (typeof tool.inspectFacts !== 'function') {
    throw invalid(name, 'inspectFacts must be a function');
  }
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > LONGEST_TIMER) {
    throw invalid(name, `timeout must be whole milliseconds from 1 to ${LONGEST_TIMER}`);
  }
  requireObjectSchema(tool, textField);
}

function requireObjectSchema<Input>(tool: Tool<Input>, textField: string | null): void {
  let schema: JsonObject;
  try {
    schema = toInputSchema(tool.input, 'en');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(tool.name, `input must be a zod schema with a JSON Schema (${reason})`);
  }
  if (schema.type !== 'object') {
    throw invalid(tool.name, 'input must be the schema of one object, such as z.strictObject({…})');
  }
  if (hasProtoProperty(tool.input, schema))
    throw invalid(
      tool.name,
      'input must not have a property "__proto__", which zod does not check',
    );
  if (textField === null) return;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  if (properties[textField]?.type !== 'string') {
    throw invalid(tool.name, `textField ${JSON.stringify(textField)} is not a string of its input`);
  }
}

function invalid(name: unknown, text: string): AgentHubError {
  return new AgentHubError('invalid_tool', `Tool ${JSON.stringify(name)}: ${text}.`);
}
