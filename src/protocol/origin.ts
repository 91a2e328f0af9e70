import type { Locale } from '../../machines/vocabulary/json.ts';
import type { CallMessage, ObservationMessage } from '../../machines/vocabulary/messages.ts';
import type { MessageOrigin, ObservedCall } from '../../machines/vocabulary/model.ts';
import type { SettledCall } from './history.ts';

/** Where a message with the results of these calls comes from. */
export function observationOf(calls: readonly SettledCall[], locale: Locale): MessageOrigin {
  return {
    kind: 'observation',
    calls: calls.map(({ call, observation }) => observed(call, observation, locale)),
  };
}

/** The same for a result that no call of the reply before it asked for. */
export function strayObservationOf(message: ObservationMessage, locale: Locale): MessageOrigin {
  const call = { id: message.callId, tool: message.tool, input: null };
  return { kind: 'observation', calls: [observed(call, message, locale)] };
}

/** Text and copies only: what a model does to them must not reach the run. */
function observed(
  { id, tool, input }: Pick<CallMessage, 'id' | 'tool' | 'input'>,
  observation: ObservationMessage | null,
  locale: Locale,
): ObservedCall {
  const { outcome = 'unknown', reasons = [], content = '' } = observation ?? {};
  return {
    callId: id,
    tool,
    arguments: JSON.stringify(input) ?? '{}',
    outcome,
    reasons: reasons.map((reason) => ({ code: reason.code, text: reason[locale] })),
    content,
  };
}
