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
    'model.provider': { flag: '--provider', value: provider },
    'model.name': { flag: '--model', value: model },
    'model.baseURL': { flag: '--base-url', value: baseUrl },
    protocol: { flag: '--protocol', value: protocol },
    locale: { flag: '--locale', value: locale },
    knowledge: { flag: '--knowledge', value: knowledge },
  };
}
