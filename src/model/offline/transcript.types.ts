import type { Json } from '../../../machines/vocabulary/json.ts';

/** How a call ended, as far as its observation says. */
export type Ending = 'ok' | 'refused' | 'impossible' | 'failed' | 'unsure';

/** A call of this run and what came of it. */
export interface PastCall {
  /** `<turn>.<index>`. */
  readonly id: string;
  readonly tool: string;
  /** As this model asked for it; null when it cannot be read. */
  readonly input: Json;
  readonly ending: Ending;
  /** The tool's result, or why there is none. */
  readonly content: string;
}

/** A request as the rules see it, whatever the protocol. */
export interface Transcript {
  readonly protocol: 'native' | 'react';
  /** Names of the tools that the request offers. */
  readonly tools: readonly string[];
  /** The person's words. */
  readonly prompt: string;
  /** The calls since then, in order. */
  readonly calls: readonly PastCall[];
  /** What Stop hooks said since then. */
  readonly stopBlocks: readonly string[];
}
