import type { Flags } from './config.ts';

/** Flags that every command with an agent takes. */
export interface CommonFlags {
  readonly config?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly protocol?: string;
  readonly locale?: string;
  readonly knowledge?: string;
}

/** Flags as settings by dotted path. */
export function settingsFlags(flags: CommonFlags): Flags {
  const { provider, model, baseUrl, protocol, locale, knowledge } = flags;
  return {
    'model.provider': provider,
    'model.name': model,
    'model.baseURL': baseUrl,
    protocol,
    locale,
    knowledge,
  };
}
