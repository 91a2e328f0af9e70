import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { say, type TextName } from './texts.ts';

/**
 * A complaint about how the command line is used, for where the person's language is not known
 * yet: its words are said in it by `sayError`.
 */
export function usageError(
  name: TextName,
  values: Readonly<Record<string, string | number>> = {},
): AgentHubError<'usage'> {
  return new AgentHubError('usage', say('en', name, values), { says: name, values });
}
