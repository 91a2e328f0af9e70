/**
 * What changes in the context, as plain functions `(context, data) → Partial<context>`. They are
 * total, and follow the states of the chart from top to bottom.
 */
export * from './updates/context.ts';
export * from './updates/gate.ts';
export * from './updates/reply.ts';
export * from './updates/rest.ts';
export * from './updates/results.ts';
