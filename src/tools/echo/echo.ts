import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import type { Tool } from '../tool.types.ts';

/** The input of `echo`. */
export interface EchoInput {
  readonly text: string;
}

/** Gives back its text unchanged: for checking that calls, permission and results flow. */
export function createEcho(): Tool<EchoInput> {
  return defineTool<EchoInput>({
    name: 'echo',
    description: {
      zh: '原样返回给出的文字，用来检查流程是否通畅。',
      en: 'Returns the given text unchanged; for checking that the flow works.',
    },
    input: z.strictObject({
      text: z.string().meta({ description: 'The text to return', zh: '要返回的文字' }),
    }),
    textField: 'text',
    safeToRepeat: true,
    execute: async ({ text }) => text,
  });
}
