import type { Json } from '../../machines/vocabulary/json.ts';

/** How a call ended, as far as a person cares. */
export type Ending = 'ok' | 'refused' | 'impossible' | 'failed' | 'unsure';

/** A call of this run and what came of it. */
export interface PastCall {
  /** `<turn>.<index>`. */
  readonly id: string;
  readonly tool: string;
  /** As this model asked for it; null when it cannot be read. */
  readonly input: Json;
  readonly ending: Ending;
  /** Why there is no result. */
  readonly reasons: readonly string[];
  /** The tool's result, or what went wrong. */
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
  /** Whether a Stop hook has objected since then. */
  readonly isBlocked: boolean;
}
